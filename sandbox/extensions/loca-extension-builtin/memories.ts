import type { ToolContext } from "./types.ts";

export async function listMemories(_args: unknown, ctx: ToolContext) {
  return { memories: await ctx.memories.list() };
}

export async function readMemory({ title }: { title: string }, ctx: ToolContext) {
  return await ctx.memories.get(title);
}

export async function readSkillFile({ title, name }: { title: string; name: string }, ctx: ToolContext) {
  return await ctx.memories.getFile(title, name);
}

/** Shows the memory to the person; the model learns only that it was shown. */
export async function showMemory({ title }: { title: string }, ctx: ToolContext) {
  const memory = await ctx.memories.get(title);
  ctx.display.markdown(memory.content);
  return { shown: memory.title };
}

export async function writeMemory({ title, content }: { title: string; content: string }, ctx: ToolContext) {
  const written = await ctx.memories.write(title, content);
  ctx.display.diff(written.before, written.after, written.title);
  return { title: written.title, created: written.created };
}

export async function editMemory({ title, find, replace }: { title: string; find: string; replace: string }, ctx: ToolContext) {
  const edited = await ctx.memories.edit(title, find, replace);
  ctx.display.diff(edited.before, edited.after, edited.title);
  return { title: edited.title, edited: true };
}
