// index.ts
import type { ToolContext } from "./types.ts";

export async function wordCount(
  args: { text: string },
  ctx: ToolContext,
): Promise<{ words: number; characters: number }> {
  const words = args.text.trim().split(/\s+/).filter(Boolean).length;
  ctx.setProgress(1);
  return { words, characters: args.text.length };
}
