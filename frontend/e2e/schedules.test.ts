import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Portico } from "./portico";

/** Schedules: made and changed on their page, run now, and proposed by a tool in the chat. */
const portico = new Portico();
const propose = (title: string) => ({ call: { name: "schedule_prompt", args: { title, instruction: `Remind me: ${title}.`, schedule: { kind: "monthly", day: 31, hour: 9, minute: 0 } } } });

beforeAll(async () => {
  await portico.start();
  await portico.connect(
    await portico.model({
      turns: [
        { when: "Sum up", rounds: [{ steps: [{ text: "All quiet today." }] }] },
        { when: "the rent", rounds: [{ steps: [propose("Rent")] }, { steps: [{ text: "The tool said {{result}}" }] }] },
        { when: "the bins", rounds: [{ steps: [propose("Bins")] }, { steps: [{ text: "The tool said {{result}}" }] }] },
      ],
    }),
  );
});
afterAll(async () => {
  await portico.end();
});
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await portico.picture("e2e-failed");
});

const page = () => portico.page;
async function schedules(): Promise<void> {
  await page().keyboard.press("Control+,");
  await page().getByRole("button", { name: "Schedules", exact: true }).click();
  await page().getByRole("heading", { name: "Schedules", level: 1 }).waitFor();
}

it("begins with nothing, and shows when a new one would be due before it is kept", async () => {
  await schedules();
  await page().getByText("Nothing is scheduled").waitFor();
  expect(await portico.barriers()).toEqual([]);
  await page().getByRole("button", { name: "New schedule" }).click();
  const dialog = page().getByRole("dialog");
  await dialog.getByLabel("Title").fill("Morning summary");
  await dialog.getByLabel("What to ask").fill("Sum up the day.");
  await dialog.getByRole("radio", { name: "Once" }).click();
  await dialog.getByLabel("Date and time").fill("2020-01-01T09:00");
  await dialog.getByText("That moment has passed.").waitFor();
  await dialog.getByRole("radio", { name: "Weekly" }).click();
  await dialog.getByRole("button", { name: "Saturday" }).click();
  await dialog.getByText("Next times").waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-schedule-new");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page().getByText(/Every Monday, Tuesday, Wednesday, Thursday, Friday,? and Saturday at 9:00/).waitFor();
});

it("runs now, and its history leads to the chat of the run", async () => {
  await page().getByRole("button", { name: "Run Morning summary now" }).click();
  await page().getByText("Morning summary was run.").first().waitFor();
  await page().getByText("done", { exact: true }).waitFor();
  await portico.picture("e2e-schedules");
  await page().getByRole("button", { name: "More for Morning summary" }).click();
  await page().getByRole("menuitem", { name: "History…" }).click();
  await page().getByRole("dialog").getByText(/^By you/).waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-schedule-history");
  await page().getByRole("button", { name: "Open the chat" }).click();
  await page().getByRole("log").getByText("All quiet today.").waitFor();
});

it("pauses, goes on, is removed, and is brought back", async () => {
  await schedules();
  const on = page().getByRole("switch", { name: "Morning summary, on or paused" });
  await on.click();
  await page().getByRole("region", { name: "Paused or over" }).getByText("Morning summary").waitFor();
  await on.click();
  await page().getByRole("region", { name: "Coming" }).getByText("Morning summary").waitFor();
  await page().getByRole("button", { name: "More for Morning summary" }).click();
  await page().getByRole("menuitem", { name: "Remove" }).click();
  await page().getByText("Nothing is scheduled").waitFor();
  await page().getByRole("button", { name: "Undo" }).last().click();
  await page().getByRole("region", { name: "Coming" }).getByText("Morning summary").waitFor();
});

it("reviews what a tool proposes, and keeps it as the person changed it", async () => {
  await page().getByRole("button", { name: "Tools", exact: true }).click();
  const offer = page().getByRole("switch", { name: /Offer .*schedule.* to the model/i });
  if ((await offer.getAttribute("aria-checked")) === "false") await offer.click();
  await portico.newChat();
  await portico.say("the rent please");
  const card = page().getByRole("group", { name: /would like to schedule this/ });
  await card.getByText("Next times").waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-schedule-review");
  await card.getByLabel("Title").fill("The rent");
  await card.getByLabel("Day of the month").fill("1");
  await card.getByRole("button", { name: "Schedule it" }).click();
  await page().getByRole("log").getByText(/The tool said .*"accepted":true/).waitFor();
  await page().getByText("The rent · On day 1 of each month at 9:00 AM").waitFor();
  await portico.picture("e2e-schedule-accepted");
  await page().getByRole("button", { name: "Schedules", exact: true }).click();
  await page().getByText("On day 1 of each month at 9:00 AM", { exact: false }).first().waitFor();
});

it("keeps nothing of what is declined", async () => {
  await portico.newChat();
  await portico.say("the bins please");
  await page().getByRole("group", { name: /would like to schedule this/ }).getByRole("button", { name: "Decline" }).click();
  await page().getByRole("log").getByText(/The tool said .*"accepted":false/).waitFor();
  await schedules();
  await page().getByText("The rent", { exact: true }).waitFor();
  expect(await page().getByText("Bins", { exact: true }).count()).toBe(0);
});

it("never complained", () => {
  expect(portico.complaints).toEqual([]);
});
