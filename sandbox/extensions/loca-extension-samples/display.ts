import { picture } from "./picture.ts";
import type { ToolContext } from "./types.ts";

/** Shows one thing of each kind. The person sees them, the model does not: what it should know is the result. */
export function sampleDisplay(_args: unknown, ctx: ToolContext) {
  ctx.display.markdown("A text with **bold** words and a [link](https://example.com).");
  ctx.display.image(picture.dataB64, picture.mime, "A chequered square"); // the last one is for who can't see it
  ctx.display.table(["tea", "minutes"], [["green", 2], ["black", 4]]);
  ctx.display.diff("Steep it.\n", "Steep it for two minutes.\n", "Recipe");
  return { shown: ["markdown", "image", "table", "diff"] };
}
