import type { ToolContext } from "./types.ts";

/** Counts a word from call to call. The database is the extension's own, and survives its updates. */
export async function sampleDatabase({ word }: { word: string }, ctx: ToolContext) {
  // Each call is a process of its own: nobody knows whether an earlier one made the table.
  await ctx.db.execute("CREATE TABLE IF NOT EXISTS words (word TEXT PRIMARY KEY, count INTEGER NOT NULL)");
  await ctx.db.execute("INSERT INTO words VALUES (?, 1) ON CONFLICT (word) DO UPDATE SET count = count + 1", [word]);
  const counts = await ctx.db.query<{ word: string; count: number }>("SELECT word, count FROM words ORDER BY count DESC, word LIMIT 10");
  return { counts };
}
