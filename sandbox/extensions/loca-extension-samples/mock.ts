import type { ToolContext } from "./types.ts";

/** A toolkit for tests: it keeps the progress, and has what `given` adds. Whatever else a tool touches throws. */
export function mockContext(given: Partial<ToolContext> = {}) {
  const progress: number[] = [];
  const members: Partial<ToolContext> = {
    setProgress: (value) => void progress.push(value),
    signal: new AbortController().signal,
    ...given,
  };
  const ctx = new Proxy(members, {
    get(target, name) {
      if (!(name in target)) throw new Error(`The tool used ctx.${String(name)}, which this test doesn't give.`);
      return Reflect.get(target, name);
    },
  }) as ToolContext;
  return { ctx, progress };
}
