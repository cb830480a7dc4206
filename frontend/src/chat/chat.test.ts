import { describe, expect, it } from "vitest";
import type { Entry, Question } from "../host";
import { answerOf, answerText, begun, choose, isConfirmation } from "./answers";
import { blocksOf, foldFrom, sameBlock, tally, type CallBlock } from "./blocks";
import { counts, unified } from "./lines";
import { piecesOf, withMath } from "./markdown";
import { fitsShort, partsOf, short } from "./values";
import { accessLine } from "./words";

let seq = 0;
const entry = (kind: Entry["kind"], more: Partial<Entry> = {}): Entry => ({ id: `e${++seq}`, session: "s", seq, turn: "t", kind, state: "done", createdAt: 0, text: kind === "agent" ? "said" : undefined, ...more });
const call = (title = "Read", more: Partial<Entry> = {}) => entry("call", { call: { modelCallId: "m", name: title, address: "a/b", title, args: {} }, ...more });
const types = (entries: Entry[]) => blocksOf(entries).map((block) => (block.type === "fold" ? `fold${block.calls.length}` : block.type)).join(" ");

describe("a transcript's blocks", () => {
  it(`fold ${foldFrom} calls in a row that ended well`, () => {
    expect(types([call(), call()])).toBe("call call");
    expect(types([entry("person"), call(), call(), call(), entry("agent"), call()])).toBe("entry fold3 entry call");
  });

  it("never fold what failed, runs, asked or showed something", () => {
    const asks = call();
    expect(types([call(), call(), call("x", { state: "failed" }), call(), call()])).toBe("call call call call call");
    expect(types([call(), call(), call("x", { state: "running" })])).toBe("call call call");
    expect(types([call(), asks, entry("question", { parent: asks.id }), call()])).toBe("call call call");
  });

  it("never fold what the person ran: its result is what they wait for", () => {
    const own = () => entry("call", { call: { name: "Read", address: "a/b", title: "Read", args: {} } });
    expect(types([own(), own(), own()])).toBe("call call call");
  });

  it("hold what a call asked and showed, in order, wherever it was recorded", () => {
    const first = call();
    const second = call();
    const [one, two] = [entry("display", { parent: first.id }), entry("question", { parent: first.id, state: "open" })];
    const blocks = blocksOf([first, second, one, two]);
    expect((blocks[0] as CallBlock).children).toEqual([one, two]);
  });

  it("leave out answers that say nothing", () => {
    expect(types([entry("agent", { text: "  " }), entry("agent", { text: "", state: "running" })])).toBe("entry");
  });

  it("are the same while their entries are", () => {
    const entries = [call(), call(), call(), entry("agent")];
    const [before, after] = [blocksOf(entries), blocksOf([...entries.slice(0, 3), { ...entries[3]!, text: "more" }])];
    expect(sameBlock(before[0]!, after[0]!)).toBe(true);
    expect(sameBlock(before[1]!, after[1]!)).toBe(false);
  });

  it("are counted by what ran, first come first", () => {
    const blocks = [call("Open"), call("Read"), call("Open")].map((one): CallBlock => ({ type: "call", id: one.id, entry: one, children: [] }));
    expect(tally(blocks)).toEqual([{ title: "Open", times: 2 }, { title: "Read", times: 1 }]);
  });
});

describe("markdown that streams", () => {
  const texts = [
    "One.\n\nTwo.\n\nThree.",
    "- a\n\n- b\n\n  more of b\n\nAfter.",
    "```js\na\n\nb\n```\n\nAfter",
    "Open fence\n\n```py\nprint(1)\n\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\nText",
    "1. one\n\n   ```sh\n   ls\n   ```\n\n2. two",
    "$$\na\n\nb\n$$\n\nend",
    "~~~\n```\n~~~\n",
    "\n\n\n",
    "",
  ];
  it.each(texts)("is cut without losing anything that is shown: %j", (text) => {
    expect(piecesOf(text).map((piece) => piece.text).join("").replace(/\n+/g, "\n").trim()).toBe(text.replace(/\n+/g, "\n").trim());
  });

  it("changes only its last piece while it grows", () => {
    for (const text of texts.filter((one) => !one.includes("$$"))) {
      for (let at = 1; at < text.length; at++) {
        const [before, after] = [piecesOf(text.slice(0, at)), piecesOf(text.slice(0, at + 1))];
        expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      }
    }
  });

  it("keeps a list whole, and code apart", () => {
    expect(piecesOf("- a\n\n- b\n\nAfter.").map((piece) => piece.text.trim())).toEqual(["- a\n\n- b", "After."]);
    expect(piecesOf("x\n```js\na\n```\ny").map((piece) => piece.code?.body ?? piece.text.trim())).toEqual(["x", "a\n", "y"]);
    expect(piecesOf("```js\na")[0]?.code).toEqual({ language: "js", body: "a", closed: false });
  });

  it("stays in one piece where a part names another", () => {
    expect(piecesOf("See [it][1].\n\nMore.\n\n[1]: https://example.com")).toHaveLength(1);
  });
});

describe("dollars", () => {
  it.each([
    ["$5 and $10", "\\$5 and \\$10"],
    ["the mean $x_i$ is", "the mean $x_i$ is"],
    ["costs $5, or $x$", "costs \\$5, or $x$"],
    ["`$HOME` stays", "`$HOME` stays"],
    ["\\(a+b\\) and \\[c\\]", "$a+b$ and $$c$$"],
    ["\\[c\\]", "$$\nc\n$$"],
    ["$$c$$", "$$\nc\n$$"],
    ["no dollars", "no dollars"],
  ])("%j is %j", (text, want) => expect(withMath(text)).toBe(want));
});

describe("a difference", () => {
  it("says what goes and what comes, with its lines", () => {
    expect(unified("a\nb\n", "a\nc\n")).toEqual([
      { type: "same", text: "a", before: 1, after: 1 },
      { type: "removed", text: "b", before: 2 },
      { type: "added", text: "c", after: 2 },
    ]);
  });
  it("leaves out what stays far from any change", () => {
    const before = Array.from({ length: 50 }, (_, n) => `line ${n}`).join("\n");
    const lines = unified(before, before.replace("line 25", "changed"));
    expect(lines.filter((line) => line.type === "gap")).toEqual([{ type: "gap", lines: 22 }, { type: "gap", lines: 21 }]);
    expect(counts(lines)).toEqual({ added: 1, removed: 1 });
  });
  it("of the same text is none, and line ends make none", () => {
    expect(counts(unified("a\r\nb\r\n", "a\nb\n"))).toEqual({ added: 0, removed: 0 });
    expect(unified("", "")).toEqual([]);
  });
});

describe("values in one line", () => {
  it.each<[unknown, string]>([["a", '"a"'], [3, "3"], [null, "null"], [[1, "b"], '[1, "b"]'], [{ a: { b: 1 } }, "{a: {b: 1}}"]])("%j", (value, want) => expect(short(value)).toBe(want));
  it("cut long texts", () => expect(short("x".repeat(200))).toMatch(/^"x{80}…"$/));
  it("know whether they show everything", () => {
    expect([fitsShort({ a: 1 }), fitsShort({ a: [1] }), fitsShort("x".repeat(81)), fitsShort("x")]).toEqual([true, false, false, true]);
    expect(partsOf({ words: 3 })).toEqual([{ name: "words", value: "3" }]);
    expect(partsOf(undefined)).toEqual([]);
  });
});

describe("answers", () => {
  const q = (more: Partial<Question>): Question => ({ question: "?", ...more });
  const two = [{ label: "A", value: "a" }, { label: "B", value: "b" }];
  const words = { accept: "yes", reject: "no", nothing: "none", rows: (count: number) => `${count} rows` };

  it("to a choice is its value, once chosen", () => {
    const question = q({ options: two });
    expect(answerOf(question, begun(question))).toBeUndefined();
    expect(answerOf(question, choose(question, begun(question), "b"))).toBe("b");
    expect(answerText(question, "b", words)).toBe("B");
  });
  it("to several choices is a list in the order they were offered", () => {
    const question = q({ options: two, multiselect: true });
    const both = choose(question, choose(question, begun(question), "b"), "a");
    expect(answerOf(question, both)).toEqual(["a", "b"]);
    expect(answerOf(question, choose(question, both, "a"))).toEqual(["b"]);
    expect(answerOf(question, begun(question))).toEqual([]);
  });
  it("may be something else, but not nothing", () => {
    const question = q({ options: two, allowFreeformInput: true });
    expect(answerOf(question, { ...begun(question), other: true, text: "  " })).toBeUndefined();
    expect(answerOf(question, { ...begun(question), other: true, text: "mine" })).toBe("mine");
  });
  it("to a question without options is its text", () => {
    expect(answerOf(q({}), { ...begun(q({})), text: "mine" })).toBe("mine");
    expect(answerOf(q({}), begun(q({})))).toBeUndefined();
  });
  it("to a change, a file and a table are what the core takes", () => {
    expect(answerOf(q({ kind: "diff" }), choose(q({ kind: "diff" }), begun(q({})), "accept"))).toBe("accept");
    const files = q({ kind: "files", entries: [{ path: "/a" }, { path: "/b" }], multiselect: true });
    expect(answerOf(files, choose(files, begun(files), "/b"))).toEqual(["/b"]);
    const table = q({ kind: "table", columns: ["n", "x"], rows: [["Ada", 36], ["Bo"]] });
    expect(answerOf(table, begun(table))).toEqual([{ n: "Ada", x: "36" }, { n: "Bo", x: "" }]);
    expect(answerText(table, [{}, {}], words)).toBe("2 rows");
  });
  it("the host's own confirmation is known by having no asker", () => {
    const options = ["yes", "no", "stop"].map((value) => ({ label: value, value }));
    expect(isConfirmation("", [q({ options })])).toBe(true);
    expect(isConfirmation("Word Count", [q({ options })])).toBe(false);
  });
});

it("an access is named by where it really goes", () => {
  const write = { kind: "write" as const, path: "$downloads", reason: "" };
  expect(accessLine("x/clean_text", write, "/home/ada/Downloads", "/home/ada")).toBe("clean_text → write ~/Downloads");
  expect(accessLine("x/clean_text", write, "/home/adam/Downloads", "/home/ada")).toBe("clean_text → write /home/adam/Downloads");
  expect(accessLine("x/get", { kind: "net", host: "example.com", ports: ["443"], reason: "" }, undefined, "")).toBe("get → net example.com:443");
});
