import { screen, waitFor, within } from "@testing-library/react";
import i18next from "i18next";
import { beforeAll, describe, expect, it } from "vitest";
import { schedules } from "../../../test/fixtures";
import { draw } from "../../../test/render";
import { ScheduleCard } from "../../chat/ScheduleCard";
import { ProblemError, type Entry, type ScheduleRecurrence } from "../../host";
import { setupI18n } from "../../i18n";
import { useTabs } from "../../store/tabs";
import { SchedulesPage } from "./page";
import { draftOf, fieldsOf, recurrenceOf, recurrenceWords, weekFrom } from "./recurrence";

const shapes: ScheduleRecurrence[] = [
  { kind: "once", atMs: Date.UTC(2031, 4, 2, 9, 30, 17, 250) }, { kind: "interval", everyMinutes: 90 }, { kind: "interval", everyMinutes: 2880 }, { kind: "weekly", weekdays: [0, 6], hour: 0, minute: 0 },
  { kind: "monthly", day: 31, hour: 9, minute: 5 }, { kind: "yearly", month: 2, day: 29, hour: 23, minute: 59 },
];
const draft = (schedule: ScheduleRecurrence) => ({ title: "T", instruction: "I", runMissed: false, schedule });

describe("a form of a schedule", () => {
  it.each(shapes)("says the same as the draft it was made of: %j", (shape) => expect(draftOf(fieldsOf(draft(shape)))).toEqual(draft(shape)));

  it("keeps the seconds of a moment until its minute is changed", () => {
    const fields = fieldsOf(draft(shapes[0]!));
    expect(recurrenceOf({ ...fields, at: `${fields.at.slice(0, -2)}31` })!.atMs! % 60_000).toBe(0);
  });

  it("begins with tomorrow at nine", () => {
    const fields = fieldsOf(undefined, new Date(2026, 11, 31, 23, 0));
    expect([fields.at, fields.month, fields.day, fields.time]).toEqual(["2027-01-01T09:00", 1, "1", "09:00"]);
  });

  it.each([
    [{ title: " " }], [{ instruction: "" }], [{ weekdays: [] }], [{ kind: "interval", every: "0" }], [{ kind: "interval", every: "1.5" }], [{ kind: "interval", every: "" }], [{ kind: "once", at: "" }], [{ kind: "monthly", day: "32" }], [{ time: "" }],
  ] as const)("says nothing with %j", (part) => expect(draftOf({ ...fieldsOf({ ...draft(shapes[3]!) }), ...part })).toBeUndefined());
});

describe("a recurrence in words", () => {
  beforeAll(() => void setupI18n("en"));
  const words = (shape: ScheduleRecurrence, language = "en") => recurrenceWords(shape, i18next.getFixedT(language, "settings"), language).replaceAll("\u202f", " ");
  it.each([
    [{ kind: "interval", everyMinutes: 1 }, "Every minute"], [{ kind: "interval", everyMinutes: 90 }, "Every 90 minutes"], [{ kind: "interval", everyMinutes: 120 }, "Every 2 hours"], [{ kind: "interval", everyMinutes: 1440 }, "Every 24 hours"],
    [{ kind: "weekly", weekdays: [0, 1, 2, 3, 4, 5, 6], hour: 7, minute: 5 }, "Every day at 7:05 AM"], [{ kind: "weekly", weekdays: [1, 2, 3, 4, 5], hour: 0, minute: 0 }, "Monday to Friday at 12:00 AM"],
    [{ kind: "weekly", weekdays: [0, 3], hour: 18, minute: 0 }, "Every Sunday and Wednesday at 6:00 PM"], [{ kind: "monthly", day: 31, hour: 9, minute: 0 }, "On day 31 of each month at 9:00 AM"], [{ kind: "yearly", month: 2, day: 29, hour: 9, minute: 0 }, "Every year on February 29 at 9:00 AM"],
  ] as [ScheduleRecurrence, string][])("%j", (shape, expected) => expect(words(shape)).toBe(expected));
  it("in Spanish begins the week on Monday", () => {
    expect(words({ kind: "weekly", weekdays: [0, 1], hour: 18, minute: 0 }, "es")).toBe("Cada lunes y domingo a las 18:00");
    expect([weekFrom("es")[0], weekFrom("en")[0], weekFrom("en-GB")[0]]).toEqual([1, 0, 1]);
  });
});

const page = (...rest: [Parameters<typeof draw>[1]?, Parameters<typeof draw>[2]?]) => draw(<SchedulesPage />, ...rest);

describe("the page", () => {
  it("says what comes and what became of the last run, and apart what is stopped", async () => {
    page();
    const coming = await screen.findByRole("region", { name: "Coming" });
    expect(within(coming).getByText("Morning summary")).toBeTruthy();
    expect(within(coming).getByText(/proposed by Household/)).toBeTruthy();
    expect(within(coming).getByText("failed")).toBeTruthy();
    const stopped = screen.getByRole("region", { name: "Paused or over" });
    expect(within(stopped).getByText(/paused/)).toBeTruthy();
    expect((within(stopped).getByRole("switch", { name: "Anniversary, on or paused" }) as HTMLButtonElement).disabled).toBe(true);
  });

  it("makes a new one, once it has all it needs", async () => {
    const { person, asked } = page({ schedules: [] });
    await person.click(await screen.findByRole("button", { name: "New schedule" }));
    const dialog = await screen.findByRole("dialog");
    expect((within(dialog).getByRole("button", { name: "Save" }) as HTMLButtonElement).disabled).toBe(true);
    await person.type(within(dialog).getByLabelText("Title"), "Bins");
    await person.type(within(dialog).getByLabelText("What to ask"), "Put them out");
    await person.click(within(dialog).getByRole("button", { name: "Monday" }));
    expect(await within(dialog).findByText("Next times")).toBeTruthy();
    await person.click(within(dialog).getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Bins is scheduled.")).toBeTruthy();
    expect(asked("schedules.save")).toEqual([{ draft: { title: "Bins", instruction: "Put them out", runMissed: true, schedule: { kind: "weekly", weekdays: [2, 3, 4, 5], hour: 9, minute: 0 } } }]);
    expect(await screen.findByText("Bins")).toBeTruthy();
  });

  it("says before it is saved that a moment has passed", async () => {
    const { person } = page();
    await person.click(await screen.findByRole("button", { name: "More for Anniversary" }));
    await person.click(screen.getByRole("menuitem", { name: "Edit…" }));
    expect(await screen.findByText("That moment has passed.")).toBeTruthy();
  });

  it("runs one now, and says how it went", async () => {
    const { person, asked } = page({}, { "schedules.runNow": ({ id }) => ({ id: 1, schedule: id, cause: "byPerson", state: "failed", startedAt: 0 }) });
    await person.click(await screen.findByRole("button", { name: "Run Rent now" }));
    expect(await screen.findByText(/The run of Rent failed/)).toBeTruthy();
    expect(asked("schedules.runNow")).toEqual([{ id: "sch2" }]);
  });

  it("pauses one at once, and lets it go on", async () => {
    const { person, asked } = page();
    await person.click(await screen.findByRole("switch", { name: "Rent, on or paused" }));
    await person.click(await screen.findByRole("switch", { name: "Water the plants, on or paused" }));
    await waitFor(() => expect(asked("schedules.pause")).toEqual([{ id: "sch2", paused: true }, { id: "sch3", paused: false }]));
  });

  it("removes with an undo", async () => {
    const { person, asked } = page();
    await person.click(await screen.findByRole("button", { name: "More for Rent" }));
    await person.click(screen.getByRole("menuitem", { name: "Remove" }));
    await waitFor(() => expect(screen.queryByText("Rent")).toBeNull());
    await person.click(screen.getByRole("button", { name: "Undo" }));
    expect(await screen.findByText("Rent")).toBeTruthy();
    expect(asked("schedules.restore")).toEqual([{ id: "sch2" }]);
  });

  it("lists every run with what went wrong, and opens its chat", async () => {
    const { person } = page();
    await person.click(await screen.findByRole("button", { name: "More for Morning summary" }));
    await person.click(screen.getByRole("menuitem", { name: "History…" }));
    const dialog = await screen.findByRole("dialog");
    expect(await within(dialog).findByText(/Made up for · .* · 2 more were missed/)).toBeTruthy();
    expect(within(dialog).getByText(/No model is set up/)).toBeTruthy();
    await person.click(within(dialog).getAllByRole("button", { name: "Open the chat" })[0]!);
    expect(useTabs.getState().tabs.some((tab) => tab.session === "s1")).toBe(true);
  });
});

describe("what a tool proposes", () => {
  const entry = (more: Partial<Entry> = {}): Entry => ({ id: "e1", session: "s1", seq: 1, turn: "t1", kind: "schedule", state: "open", createdAt: 0, schedule: { extension: "Household", draft: schedules[1]!.draft }, ...more });

  it("is accepted with the person's changes", async () => {
    const { person, asked } = draw(<ScheduleCard entry={entry()} />);
    expect(screen.getByRole("heading", { name: "Household would like to schedule this" })).toBeTruthy();
    const title = screen.getByLabelText("Title");
    await person.clear(title);
    expect((screen.getByRole("button", { name: "Schedule it" }) as HTMLButtonElement).disabled).toBe(true);
    await person.type(title, "The rent");
    await person.click(screen.getByRole("button", { name: "Schedule it" }));
    expect(asked("schedules.review")).toEqual([{ entry: "e1", answer: { accepted: true, draft: { ...schedules[1]!.draft, title: "The rent" } } }]);
  });

  it("is declined", async () => {
    const { person, asked } = draw(<ScheduleCard entry={entry()} />);
    await person.click(screen.getByRole("button", { name: "Decline" }));
    expect(asked("schedules.review")).toEqual([{ entry: "e1", answer: { accepted: false } }]);
  });

  it("that cannot be kept says why, and still waits", async () => {
    const { person } = draw(<ScheduleCard entry={entry()} />, {}, { "schedules.review": () => { throw new ProblemError({ code: "schedule.too-many-of-extension", what: "Household has 100 schedules, and there can't be more." }); } });
    await person.click(screen.getByRole("button", { name: "Schedule it" }));
    expect(await screen.findByText("Household has 100 schedules, and there can't be more.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Decline" })).toBeTruthy();
  });

  it.each([[{ accepted: true, draft: { ...schedules[1]!.draft, title: "The rent" } }, "scheduled", "The rent"], [{ accepted: false }, "declined", "Rent"], [undefined, "not answered", "Rent"]] as const)("stays with its answer %j", (answer, said, title) => {
    draw(<ScheduleCard entry={entry({ state: "done", schedule: { extension: "Household", draft: schedules[1]!.draft, answer } })} />);
    expect(screen.getByText(said)).toBeTruthy();
    expect(screen.getByText(new RegExp(`^${title} · On day 31`))).toBeTruthy();
  });
});
