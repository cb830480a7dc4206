import { deepEqual, equal } from "node:assert/strict";
import manifest from "./loca.json" with { type: "json" };
import * as entry from "./index.ts";

Deno.test("every tool that is declared is exported, and no other", () => {
  deepEqual(manifest.tools.map((tool) => tool.function).sort(), Object.keys(entry).sort());
  equal(manifest.tools.length, 17);
});
