export async function saveNote({ path, text }: { path: string; text: string }) {
  await Deno.writeTextFile(path, text);
  const readable = Deno.permissions.querySync({ name: "read", path }).state === "granted";
  return { length: readable ? (await Deno.readTextFile(path)).length : null };
}

export async function fetchPage({ url }: { url: string }) {
  const answer = await fetch(url);
  return { status: answer.status, length: (await answer.text()).length };
}

export function needsNothing() {
  return "nothing";
}

export function sayGranted() {
  return {
    env: Deno.permissions.querySync({ name: "env", variable: "LANG" }).state,
    everything: Deno.permissions.querySync({ name: "read" }).state,
  };
}
