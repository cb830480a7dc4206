import { deepEqual } from "node:assert/strict";
import { sampleMemory } from "./memory.ts";
import { mockContext } from "./mock.ts";
import type { ToolContext } from "./types.ts";

/** The part of the memories that the tool uses, in a map. */
function remembering(texts: Map<string, string>): ToolContext {
  return mockContext({
    memories: {
      list: () => Promise.resolve([...texts.keys()].map((title) => ({ title, kind: "knowledge" as const, updatedAtMs: 0 }))),
      get: (title) => Promise.resolve({ title, content: texts.get(title)! }),
      write(title, content) {
        const before = texts.get(title);
        texts.set(title, content);
        return Promise.resolve({ title, before: before ?? "", after: content, created: before === undefined });
      },
      getFile: () => Promise.reject(new Error("not used")),
      edit: () => Promise.reject(new Error("not used")),
    },
  }).ctx;
}

Deno.test("a line is added to what was there, and other memories are only counted", async () => {
  const texts = new Map([["Tea", "Green."]]);
  deepEqual(await sampleMemory({ line: "one" }, remembering(texts)), { created: true, memory: "- one\n", others: 1 });
  deepEqual(await sampleMemory({ line: "two" }, remembering(texts)), { created: false, memory: "- one\n- two\n", others: 1 });
  deepEqual(texts.get("Tea"), "Green.");
});
