const colours = ["Red", "Green", "Blue"].map((label) => ({ label, value: label.toLowerCase() }));

export async function pickColour(_args: unknown, ctx: any) {
  const [colour] = await ctx.askUser([{ question: "Pick a favourite colour.", options: colours }]);
  return { colour };
}

export async function askAll(_args: unknown, ctx: any) {
  return await ctx.askUser([
    { kind: "choice", question: "Which colours?", options: colours, multiselect: true, allowFreeformInput: true },
    { kind: "diff", question: "Change it?", before: "one", after: "two", title: "numbers.txt" },
    { kind: "files", question: "Which files?", entries: [{ path: "/a/one.txt" }, { path: "/a/two.txt", label: "Two" }], multiselect: true },
    { kind: "image", question: "Keep it?", dataB64: "iVBORw0KGgo=", mime: "image/png", actions: [{ label: "Keep", value: "keep" }, { label: "Drop", value: "drop" }] },
    { kind: "table", question: "Correct the rows.", columns: ["name", "age"], rows: [["Ada", 36]] },
  ]);
}

export async function askBadly(_args: unknown, ctx: any) {
  const all = [];
  for (const form of [[], "no", null, [{}], [{ question: "" }], [{ kind: "riddle", question: "?" }], [{ kind: "files", question: "?", entries: [] }], [{ question: "?", options: [{ value: "a" }, { value: "a" }] }]]) {
    all.push(await ctx.askUser(form));
  }
  return all;
}

export async function askTwice(_args: unknown, ctx: any) {
  const [[one], [two]] = await Promise.all([ctx.askUser([{ question: "one?" }]), ctx.askUser([{ question: "two?" }])]);
  return [one, two];
}

export async function askSlowly(_args: unknown, ctx: any) {
  const [answer] = await ctx.askUser([{ question: "Go on?" }]);
  await new Promise((done) => setTimeout(done, 20));
  return answer;
}
