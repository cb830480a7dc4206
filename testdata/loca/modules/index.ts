import { add } from "~/arithmetic.ts";
import { double } from "./lib/50%25%20%231.ts";
import words from "./lib/words.json" with { type: "json" };
import note from "./lib/note.txt" with { type: "text" };
import { join } from "node:path";
import type { Nowhere } from "npm:this-is-erased@1";

export type Unused = Nowhere;

export async function addUp({ a, b }: { a: number; b: number }) {
  const { name } = await import("./lib/lazy.ts");
  return { sum: double(add(a, b)), word: words.word, note: note.trim(), path: join("a", "b"), name };
}

export async function computedImport({ name }: { name: string }) {
  return (await import(name)).default;
}
