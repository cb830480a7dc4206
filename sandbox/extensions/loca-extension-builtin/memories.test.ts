import { deepEqual, rejects } from "node:assert/strict";
import { editMemory, listMemories, readMemory, readSkillFile, showMemory, writeMemory } from "./memories.ts";
import { mockContext } from "./mock.ts";
import type { ToolContext } from "./types.ts";

/** Memories in a map, as the host keeps them, and what was displayed. */
function remembering(start: Record<string, string>) {
  const texts = new Map(Object.entries(start));
  const shown: string[][] = [];
  const get = (title: string) => {
    const content = texts.get(title);
    return content === undefined ? Promise.reject(new Error(`no memory ${title}`)) : Promise.resolve({ title, content });
  };
  const memories: ToolContext["memories"] = {
    list: () => Promise.resolve([...texts.keys()].map((title) => ({ title, kind: "knowledge", updatedAtMs: 1 }))),
    get,
    getFile: (title, name) => Promise.resolve({ title, name, content: `${title}/${name}` }),
    write(title, content) {
      const before = texts.get(title);
      texts.set(title, content);
      return Promise.resolve({ title, before: before ?? "", after: content, created: before === undefined });
    },
    async edit(title, find, replace) {
      const before = (await get(title)).content;
      const after = before.replace(find, () => replace);
      texts.set(title, after);
      return { title, before, after };
    },
  };
  const keep = (kind: string) => (...said: unknown[]) => void shown.push([kind, ...said.map(String)]);
  const display = { markdown: keep("markdown"), image: keep("image"), table: keep("table"), diff: keep("diff") };
  return { texts, shown, ...mockContext({ memories, display }) };
}

Deno.test("memories are listed and read", async () => {
  const { ctx, shown } = remembering({ Tea: "Green." });
  deepEqual(await listMemories({}, ctx), { memories: [{ title: "Tea", kind: "knowledge", updatedAtMs: 1 }] });
  deepEqual(await readMemory({ title: "Tea" }, ctx), { title: "Tea", content: "Green." });
  deepEqual(await readSkillFile({ title: "Brew", name: "steps.md" }, ctx), { title: "Brew", name: "steps.md", content: "Brew/steps.md" });
  deepEqual(shown, []);
});

Deno.test("a memory is shown to the person, not to the model", async () => {
  const { ctx, shown } = remembering({ Tea: "Green." });
  deepEqual(await showMemory({ title: "Tea" }, ctx), { shown: "Tea" });
  deepEqual(shown, [["markdown", "Green."]]);
});

Deno.test("writing and editing show what changed", async () => {
  const { ctx, shown, texts } = remembering({});
  deepEqual(await writeMemory({ title: "Tea", content: "Green." }, ctx), { title: "Tea", created: true });
  deepEqual(await writeMemory({ title: "Tea", content: "Black." }, ctx), { title: "Tea", created: false });
  deepEqual(await editMemory({ title: "Tea", find: "Black", replace: "Red" }, ctx), { title: "Tea", edited: true });
  deepEqual(texts.get("Tea"), "Red.");
  deepEqual(shown, [["diff", "", "Green.", "Tea"], ["diff", "Green.", "Black.", "Tea"], ["diff", "Black.", "Red.", "Tea"]]);
});

Deno.test("what the host refuses reaches the model, and nothing is shown", async () => {
  const { ctx, shown } = remembering({});
  await rejects(showMemory({ title: "Tea" }, ctx), /no memory Tea/);
  await rejects(editMemory({ title: "Tea", find: "a", replace: "b" }, ctx), /no memory Tea/);
  deepEqual(shown, []);
});
