import type { ScheduleDraft, ToolContext } from "./types.ts";

/** A model writes a date better than it counts milliseconds, so a single time may also be `at`, an ISO 8601 text. */
type Asked = Omit<ScheduleDraft, "runMissed" | "schedule"> & {
  runMissed?: boolean;
  schedule: ScheduleDraft["schedule"] | { kind: "once"; at: string };
};

export async function schedulePrompt({ title, instruction, runMissed = true, schedule }: Asked, ctx: ToolContext) {
  if ("at" in schedule) {
    const atMs = Date.parse(schedule.at);
    if (Number.isNaN(atMs)) throw new Error(`"${schedule.at}" isn't a date and time such as 2027-03-01T09:00.`);
    schedule = { kind: "once", atMs };
  }
  return await ctx.schedulePrompt({ title, instruction, runMissed, schedule });
}
