import type { ToolContext } from "./types.ts";

const title = "Samples diary";

/** Adds a line to a memory of its own, and gives the whole. */
export async function sampleMemory({ line }: { line: string }, ctx: ToolContext) {
  // get rejects for a title that isn't there, so look first. The permission `write` covers reading.
  const memories = await ctx.memories.list();
  const mine = memories.find((memory) => memory.title.toLowerCase() === title.toLowerCase());
  const before = mine ? (await ctx.memories.get(mine.title)).content : "";
  const { after, created } = await ctx.memories.write(title, `${before}- ${line}\n`);
  return { created, memory: after, others: memories.filter((memory) => memory !== mine).length };
}
