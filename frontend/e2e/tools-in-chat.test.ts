import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Portico } from "./portico";

/** What tools do in the chat beside giving a result: they show, tell how far they are, and ask for permission. */
const portico = new Portico();
const downloads = () => join(portico.person, "Downloads");
const note = (name: string) => join(downloads(), name);

beforeAll(async () => {
  mkdirSync(downloads());
  await portico.start();
  for (const example of ["displays", "progress", "permissions"]) await portico.install(example, true);
  const saves = (name: string) => ({ when: name, rounds: [{ steps: [{ call: { name: "save_note", args: { path: note(name), text: "hello" } } }] }, { steps: [{ text: `After ${name}: {{result}}` }] }] });
  await portico.connect(
    await portico.model({
      turns: [
        { when: "show", rounds: [{ steps: [{ call: { name: "show_all", args: {} } }] }, { steps: [{ text: "Shown." }] }] },
        { when: "count", rounds: [{ steps: [{ call: { name: "count_up", args: { to: 20, pauseMs: 100 } } }] }, { steps: [{ text: "Counted." }] }] },
        { when: "chatter", rounds: [{ steps: [{ call: { name: "chatter", args: {} } }] }, { steps: [{ text: "Chattered." }] }] },
        { when: "context", rounds: [{ steps: [{ call: { name: "context", args: {} } }] }, { steps: [{ text: "It saw {{result}}" }] }] },
        saves("first.txt"), saves("second.txt"), saves("third.txt"), saves("fourth.txt"),
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
const log = () => page().getByRole("log");
/** The app's own question, above the composer. */
const prompt = () => page().getByRole("group", { name: "Portico asks for your permission" });

it("draws all four kinds of display where they were shown", async () => {
  await portico.newChat();
  await portico.say("show everything");
  await log().getByText("Shown.", { exact: true }).waitFor();
  await log().getByRole("heading", { name: "Hello" }).waitFor();
  await log().getByRole("img", { name: "One pixel" }).waitFor();
  await log().getByRole("cell", { name: "Grace" }).waitFor();
  await log().getByText("numbers.txt").waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-displays");
});

it("shows how far a call is, and ends it when the person stops", async () => {
  await portico.newChat();
  await portico.say("count please");
  await log().getByText(/Counted \d+ of 20/).first().waitFor();
  await page().getByRole("button", { name: /^Stop/ }).click();
  await log().getByText(/stopped/i).first().waitFor();
  await page().getByRole("button", { name: /^Stop/ }).waitFor({ state: "hidden" });
});

it("keeps what a tool logs and prints with the call and in the extension's log", async () => {
  await portico.newChat();
  await portico.say("chatter please");
  await log().getByText("Chattered.", { exact: true }).waitFor();
  await log().getByRole("button", { name: /Chatter/ }).click();
  await log().getByText("a line at warn").waitFor();
  await log().getByText(/printed/).first().waitFor();
  await portico.say("context please");
  await log().getByText(/It saw .*context please/).waitFor();
});

/** Answers the prompt that waits, once it is the one about this. */
async function decide(about: "read" | "write to", answer: "Don't allow" | "Allow once" | "This session" | "Always"): Promise<void> {
  await prompt().getByText(`Permissions wants to ${about} your Downloads`).waitFor();
  await page().locator("[data-waits=permission] [data-settled]").waitFor(); // it takes no click before it could be read
  await prompt().getByRole("button", { name: answer, exact: true }).click();
}

it("asks when a tool first needs what it declares, and Enter allows nothing", async () => {
  await portico.newChat();
  await portico.say("first.txt");
  await prompt().getByText("Permissions wants to write to your Downloads").waitFor();
  await prompt().getByText("“Save the note where you can find it.”").waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-permission");
  await page().keyboard.press("Enter");
  await page().waitForTimeout(600); // longer than the rest in which a prompt takes no click
  await page().keyboard.press("Enter");
  await prompt().getByRole("button", { name: "Allow once" }).focus();
  await page().keyboard.press("Enter");
  await page().waitForTimeout(300);
  expect(await prompt().getByRole("button", { name: "Allow once" }).count()).toBe(1);
  await decide("write to", "Don't allow");
  await log().getByText(/After first\.txt/).waitFor();
  expect(existsSync(note("first.txt"))).toBe(false);
});

it("allows once for one call, for a session, and always for every later one", async () => {
  await portico.say("second.txt");
  await decide("write to", "Allow once");
  await decide("read", "This session");
  await log().getByText(/After second\.txt.*"length":5/).waitFor();
  expect(readFileSync(note("second.txt"), "utf8")).toBe("hello");
  await portico.say("third.txt"); // reading is allowed in this session, writing was for one call
  await decide("write to", "Always");
  await log().getByText(/After third\.txt/).waitFor();
  await portico.newChat();
  await portico.say("fourth.txt");
  await decide("read", "Always");
  await log().getByText(/After fourth\.txt/).waitFor();
  expect(existsSync(note("fourth.txt"))).toBe(true);
});

it("shows on the extension's page what was allowed, and takes it back there", async () => {
  await page().keyboard.press("Control+,");
  await page().getByRole("button", { name: "Extensions", exact: true }).click();
  await page().getByRole("button", { name: "Permissions", exact: true }).click();
  const pick = page().getByRole("combobox", { name: /Save note: Write to your Downloads/i });
  await expect.poll(() => pick.innerText()).toMatch(/Allowed/);
  await pick.click();
  await page().getByRole("option", { name: "Denied" }).click();
  await expect.poll(() => pick.innerText()).toMatch(/Denied/);
  await portico.picture("e2e-grants");
  expect(await portico.barriers()).toEqual([]);
});

it("never complained", () => {
  expect(portico.complaints).toEqual([]);
});
