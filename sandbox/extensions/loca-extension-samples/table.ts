import type { ToolContext } from "./types.ts";

/** Lets the person correct a table, and keeps what they left: they may have changed, added and removed rows. */
export async function sampleTable({ rows }: { rows: { item: string; amount: string }[] }, ctx: ToolContext) {
  const [edited] = await ctx.askUser([
    { kind: "table", question: "Is the list right?", columns: ["item", "amount"], rows: rows.map(({ item, amount }) => [item, amount]) },
  ]);
  const kept = edited as { item: string; amount: string }[]; // the cells are texts, keyed by column
  await ctx.db.execute("CREATE TABLE IF NOT EXISTS shopping (item TEXT PRIMARY KEY, amount TEXT NOT NULL)");
  for (const { item, amount } of kept) {
    // Values are parameters, never part of the SQL: a person may type a quote.
    await ctx.db.execute("INSERT INTO shopping VALUES (?, ?) ON CONFLICT (item) DO UPDATE SET amount = excluded.amount", [item, amount]);
  }
  return { kept };
}
