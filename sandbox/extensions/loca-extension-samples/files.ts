import type { ToolContext } from "./types.ts";

/** Lets the person pick from the extension's own files, which every tool may read without a permission. */
export async function sampleFiles(_args: unknown, ctx: ToolContext) {
  const folder = import.meta.dirname!;
  const entries = [];
  for (const { name, isFile } of Deno.readDirSync(folder)) {
    if (!isFile) continue;
    const { size } = Deno.statSync(`${folder}/${name}`);
    entries.push({ path: `${folder}/${name}`, label: name, description: `${size} bytes` });
  }
  entries.sort((a, b) => a.label.localeCompare(b.label)); // a folder is in no order by itself
  const [picked] = await ctx.askUser([{ kind: "files", question: "Which of these files?", entries, multiselect: true }]);
  return { picked };
}
