export async function saveNote({ path, text }: { path: string; text: string }) {
  await Deno.writeTextFile(path, text);
  try {
    return { length: (await Deno.readTextFile(path)).length };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    return { length: null };
  }
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
