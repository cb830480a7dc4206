import type { ToolContext } from "./types.ts";

/**
 * Copies a file of the Downloads folder beside itself. `read` and `write` are two permissions: a tool that only reads
 * declares only that. Outside of the declared folder every access fails, so there is nothing to check here.
 */
export async function sampleBackup({ path }: { path: string }, ctx: ToolContext) {
  const content = await Deno.readFile(path);
  const copy = `${path}.bak`;
  await Deno.writeFile(copy, content, { createNew: true }); // fails rather than replaces what is there
  ctx.setProgress(1);
  return { copy, bytes: content.length };
}
