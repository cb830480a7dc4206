import { setTimeout } from "node:timers/promises";
import type { ToolContext } from "./types.ts";

/** Counts, and stops at once when the person cancels. `pauseMs` is shorter in tests. */
export async function sampleProgress({ steps }: { steps: number }, ctx: ToolContext, pauseMs = 100) {
  for (let step = 1; step <= steps; step++) {
    ctx.signal.throwIfAborted(); // between two pieces of work
    await setTimeout(pauseMs, undefined, { signal: ctx.signal }); // and within one: what waits takes the signal
    ctx.setProgress(step / steps, "Counting", `${step} of ${steps}`);
  }
  ctx.log("info", `Counted to ${steps}.`); // for who looks for a fault, not for the model
  return { counted: steps };
}
