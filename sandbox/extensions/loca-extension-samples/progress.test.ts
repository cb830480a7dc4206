import { deepEqual, rejects } from "node:assert/strict";
import { mockContext } from "./mock.ts";
import { sampleProgress } from "./progress.ts";

Deno.test("progress grows and ends at 1", async () => {
  const logged: string[] = [];
  const { ctx, progress } = mockContext({ log: (_level, message) => void logged.push(message) });
  deepEqual(await sampleProgress({ steps: 4 }, ctx, 0), { counted: 4 });
  deepEqual(progress, [0.25, 0.5, 0.75, 1]);
  deepEqual(logged, ["Counted to 4."]);
});

Deno.test("a cancelled turn ends it, also in the middle of a pause", async () => {
  const turn = new AbortController();
  const { ctx, progress } = mockContext({ signal: turn.signal });
  const counting = sampleProgress({ steps: 4 }, ctx, 60_000);
  turn.abort();
  await rejects(counting, { name: "AbortError" });
  deepEqual(progress, []);
});
