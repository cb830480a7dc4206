import { deepEqual, rejects } from "node:assert/strict";
import { mockContext } from "./mock.ts";
import { schedulePrompt } from "./schedule.ts";
import type { ScheduleDraft } from "./types.ts";

const accepting = () => mockContext({ schedulePrompt: (draft: ScheduleDraft) => Promise.resolve({ accepted: true, draft }) }).ctx;
const asked = { title: "Tea", instruction: "Make tea." };

Deno.test("a schedule reaches the person as it was asked, and missed times are made up for", async () => {
  const schedule = { kind: "weekly" as const, weekdays: [1], hour: 9, minute: 0 };
  deepEqual(await schedulePrompt({ ...asked, schedule }, accepting()), { accepted: true, draft: { ...asked, runMissed: true, schedule } });
});

Deno.test("a single time may be written as a local date", async () => {
  const { draft } = await schedulePrompt({ ...asked, runMissed: false, schedule: { kind: "once", at: "2027-03-01T09:00" } }, accepting());
  deepEqual(draft, { ...asked, runMissed: false, schedule: { kind: "once", atMs: new Date(2027, 2, 1, 9).getTime() } });
});

Deno.test("a date that is none is refused before the person is asked", async () => {
  await rejects(schedulePrompt({ ...asked, schedule: { kind: "once", at: "soon" } }, mockContext().ctx), /"soon" isn't a date/);
});

Deno.test("the person may decline", async () => {
  const { ctx } = mockContext({ schedulePrompt: () => Promise.resolve({ accepted: false }) });
  deepEqual(await schedulePrompt({ ...asked, schedule: { kind: "interval", everyMinutes: 5 } }, ctx), { accepted: false });
});
