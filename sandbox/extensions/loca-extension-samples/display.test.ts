import { deepEqual } from "node:assert/strict";
import { sampleDisplay } from "./display.ts";
import { mockContext } from "./mock.ts";

Deno.test("one of each kind is shown, in the order that the model is told", () => {
  const shown: string[] = [];
  const keep = (kind: string) => () => void shown.push(kind);
  const { ctx } = mockContext({ display: { markdown: keep("markdown"), image: keep("image"), table: keep("table"), diff: keep("diff") } });
  deepEqual(sampleDisplay({}, ctx), { shown });
});
