import type { ToolContext } from "./types.ts";

/** Has the person's own model write a title. What comes back is a model's text: trim it, bound it, don't trust it. */
export async function sampleLlm({ text }: { text: string }, ctx: ToolContext) {
  const { text: title } = await ctx.llm.complete({
    systemPrompt: "Answer with a title of at most six words and nothing else.",
    prompt: text,
    maxTokens: 40,
  });
  return { title: title.split("\n")[0].slice(0, 80) };
}
