import { deepEqual, ok } from "node:assert/strict";
import { sampleFiles } from "./files.ts";
import { mockContext } from "./mock.ts";

Deno.test("the extension's files are offered, and what is picked comes back", async () => {
  const { ctx } = mockContext({
    askUser([question]) {
      if (question.kind !== "files") throw new Error("not a question about files");
      ok(question.entries.some(({ label }) => label === "loca.json"));
      return Promise.resolve([[question.entries[0].path]]);
    },
  });
  deepEqual(await sampleFiles({}, ctx), { picked: [`${import.meta.dirname}/backup.test.ts`] });
});
