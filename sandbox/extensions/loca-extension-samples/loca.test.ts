import { deepEqual, ok } from "node:assert/strict";
import * as entry from "./index.ts";
import manifest from "./loca.json" with { type: "json" };

Deno.test("every tool that is declared is exported, and no other", () => {
  deepEqual(manifest.tools.map((tool) => tool.function).sort(), Object.keys(entry).sort());
});

Deno.test("every memory that is declared is there", async () => {
  for (const { kind, path } of manifest.memories) {
    const file = new URL(kind === "skill" ? `${path}/SKILL.md` : path, import.meta.url);
    ok((await Deno.readTextFile(file)).length > 0);
  }
});
