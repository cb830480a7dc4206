import type { ToolContext } from "./types.ts";

/** Proposes a prompt that runs again and again. It needs no permission: nothing is saved before the person agreed. */
export async function sampleSchedule({ instruction, everyMinutes }: { instruction: string; everyMinutes: number }, ctx: ToolContext) {
  const { accepted, draft } = await ctx.schedulePrompt({
    title: "A sample schedule",
    instruction,
    runMissed: false, // a reminder that was missed while the app was closed is of no use later
    schedule: { kind: "interval", everyMinutes },
  });
  // The person may have changed it before they agreed: `draft` is what was saved.
  return accepted ? { accepted, saved: draft } : { accepted };
}
