import { deepEqual } from "node:assert/strict";
import { mockContext } from "./mock.ts";
import { sampleTable } from "./table.ts";

Deno.test("what the person left is saved and given, not what was proposed", async () => {
  const saved: unknown[] = [];
  const { ctx } = mockContext({
    askUser: () => Promise.resolve([[{ item: "tea", amount: "3" }, { item: "O'Brien's cake", amount: "1" }]]),
    db: {
      query: () => Promise.reject(new Error("nothing is read")),
      execute(_sql, params) {
        if (params) saved.push(params);
        return Promise.resolve({ changes: 1, lastInsertRowId: 1 });
      },
    },
  });
  const { kept } = await sampleTable({ rows: [{ item: "tea", amount: "2" }] }, ctx);
  deepEqual(kept, [{ item: "tea", amount: "3" }, { item: "O'Brien's cake", amount: "1" }]);
  deepEqual(saved, [["tea", "3"], ["O'Brien's cake", "1"]]);
});
