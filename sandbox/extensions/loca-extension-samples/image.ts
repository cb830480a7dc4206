import { picture } from "./picture.ts";
import type { ToolContext } from "./types.ts";

/** Shows a picture with buttons of its own under it. */
export async function sampleImage(_args: unknown, ctx: ToolContext) {
  const [verdict] = await ctx.askUser([
    {
      kind: "image",
      question: "Keep this picture?",
      ...picture,
      actions: [{ label: "Keep it", value: "keep" }, { label: "Throw it away", value: "discard" }],
    },
  ]);
  return { verdict };
}
