import { deepEqual } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sampleDatabase } from "./database.ts";
import { mockContext } from "./mock.ts";

Deno.test("a word is counted from call to call", async () => {
  // Deno brings SQLite, so the test runs the real statements.
  using file = new DatabaseSync(":memory:");
  const { ctx } = mockContext({
    db: {
      // deno-lint-ignore no-explicit-any -- rows have the type that the tool says
      query: (sql, params = []) => Promise.resolve(file.prepare(sql).all(...params as string[]) as any[]),
      execute(sql, params = []) {
        const { changes, lastInsertRowid } = file.prepare(sql).run(...params as string[]);
        return Promise.resolve({ changes: Number(changes), lastInsertRowId: Number(lastInsertRowid) });
      },
    },
  });
  await sampleDatabase({ word: "tea" }, ctx);
  await sampleDatabase({ word: "cake" }, ctx);
  const { counts } = await sampleDatabase({ word: "tea" }, ctx);
  deepEqual(counts.map(({ word, count }) => [word, count]), [["tea", 2], ["cake", 1]]);
});
