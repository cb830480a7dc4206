import type { ToolContext } from "./types.ts";

/** Proposes a text without spaces at the ends of lines, and gives it only when the person accepts. */
export async function sampleDiff({ text }: { text: string }, ctx: ToolContext) {
  const tidy = text.replace(/[ \t]+$/gm, "");
  if (tidy === text) return { accepted: true, text }; // nothing to ask about
  const [answer] = await ctx.askUser([{ kind: "diff", question: "Take the spaces out?", before: text, after: tidy, title: "Spaces at the ends of lines" }]);
  return answer === "accept" ? { accepted: true, text: tidy } : { accepted: false, text };
}
