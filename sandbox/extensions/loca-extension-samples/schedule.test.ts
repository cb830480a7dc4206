import { deepEqual } from "node:assert/strict";
import { mockContext } from "./mock.ts";
import { sampleSchedule } from "./schedule.ts";
import type { ScheduleDraft } from "./types.ts";

Deno.test("the schedule that comes back is the one that the person saved", async () => {
  const changed = (draft: ScheduleDraft) => ({ ...draft, title: "Tea" });
  const { ctx } = mockContext({ schedulePrompt: (draft) => Promise.resolve({ accepted: true, draft: changed(draft) }) });
  deepEqual(await sampleSchedule({ instruction: "Remind me of tea.", everyMinutes: 90 }, ctx), {
    accepted: true,
    saved: { title: "Tea", instruction: "Remind me of tea.", runMissed: false, schedule: { kind: "interval", everyMinutes: 90 } },
  });
});

Deno.test("the person may say no", async () => {
  const { ctx } = mockContext({ schedulePrompt: () => Promise.resolve({ accepted: false }) });
  deepEqual(await sampleSchedule({ instruction: "Remind me of tea.", everyMinutes: 90 }, ctx), { accepted: false });
});
