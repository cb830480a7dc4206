import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Portico } from "./portico";

/** A person's first day, in order: each step stands on the one before. */
const portico = new Portico();
beforeAll(() => portico.start());
afterAll(async () => {
  await portico.end();
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await portico.picture("e2e-failed");
});

const page = () => portico.page;

it("opens on an empty chat that says what to do next", async () => {
  await page().getByText("No model connected, and that's fine").waitFor();
  // Without anything added there are the tools that come with it.
  await page().getByRole("region", { name: "What is installed here" }).getByRole("button").first().waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-first-start");
});

it("says which rules a manifest breaks, and installs nothing", async () => {
  await page().keyboard.press("Control+,");
  await page().getByRole("button", { name: "Add", exact: true }).first().click();
  await page().getByRole("menuitem", { name: /From a folder/ }).click();
  await page().getByRole("textbox", { name: "Folder" }).fill(import.meta.dirname);
  await page().getByRole("button", { name: "Look at it" }).click();
  const dialog = page().getByRole("dialog");
  await dialog.getByText(/loca\.json/).first().waitFor();
  await portico.picture("e2e-no-extension");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page().getByText("Built-in Tools").first().waitFor();
  expect(await page().getByText("tabs.test").count()).toBe(0);
});

it("shows what an extension asks for, and installs it with its tool off", async () => {
  await portico.install("wordcount", false);
  await page().getByRole("heading", { name: "Word Count" }).waitFor();
  await page().getByText("Nothing on this computer").first().waitFor();
  expect(await page().getByRole("switch", { name: /Offer Word count to the model/i }).getAttribute("aria-checked")).toBe("false");
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-extension");
});

it("does the main job without a model: finds the tool, draws its form, runs it", async () => {
  await portico.newChat();
  await portico.say("count the words in this");
  await page().getByRole("textbox", { name: /text/i }).last().waitFor();
  await page().locator("textarea").first().fill("one two three");
  await page().getByRole("button", { name: "Run", exact: true }).click();
  // What the person ran by hand unfolds by itself.
  await expect.poll(() => page().getByRole("log").innerText()).toMatch(/words: 3\s+characters: 13$/);
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-direct");
});

it("talks with a model that calls the tool once it is switched on", async () => {
  const address = await portico.model({
    turns: [
      { when: "how long", rounds: [{ steps: [{ text: "I'll measure it." }, { call: { name: "word_count", args: { text: "one two three" } } }] }, { steps: [{ text: "It has **three** words.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x = 1;\n```" }] }] },
      { when: "colour", rounds: [{ steps: [{ call: { name: "pick_colour", args: {} } }] }, { steps: [{ text: "You chose {{result}}." }] }] },
      { when: "slow", rounds: [{ steps: [{ text: "Slowly " }, { hang: true }] }] },
      { when: "broken", fails: [], rounds: [{ status: 500, body: "oops" }] },
    ],
  });
  await portico.connect(address);
  await page().getByRole("button", { name: "Extensions", exact: true }).click();
  await page().getByRole("button", { name: "Word Count", exact: true }).click();
  await page().getByRole("switch", { name: /Offer Word count to the model/i }).click();
  await portico.newChat();
  await portico.say("how long is this?");
  await page().getByText("three", { exact: true }).waitFor();
  await page().getByRole("table").waitFor();
  await portico.picture("e2e-chat");
  expect(await portico.barriers()).toEqual([]);
  expect(JSON.stringify(portico.asked())).toContain("word_count");
});

it("answers a tool's question by keyboard and keeps the answer", async () => {
  await portico.install("questions", true);
  await portico.newChat();
  await portico.say("ask me for a colour");
  const card = page().getByRole("heading", { name: "Pick a favourite colour." });
  await card.waitFor();
  await portico.picture("e2e-question");
  expect(await portico.barriers()).toEqual([]);
  await page().getByRole("radio", { name: /green/i }).focus();
  await page().keyboard.press("Space");
  await page().keyboard.press("Enter");
  await expect.poll(() => page().getByRole("log").innerText()).toMatch(/green/i);
  await page().getByRole("log").getByText(/You chose/).waitFor();
});

it("stops a turn, and says when a model fails", async () => {
  await portico.newChat();
  await portico.say("slow please");
  await page().getByText("Slowly").waitFor();
  await page().getByRole("button", { name: /^Stop/ }).click();
  await page().getByText("You stopped it here.").waitFor();
  await portico.say("broken please");
  await page().getByRole("button", { name: "Try again" }).first().waitFor();
  await portico.picture("e2e-model-failed");
});

it("is all there after a restart, draft and tabs included", async () => {
  await page().getByRole("textbox", { name: /message|like to do/i }).fill("half a thought");
  const tabs = await page().getByRole("tab").allInnerTexts();
  await page().waitForTimeout(1500); // a draft and a layout rest before they are saved
  await portico.restart();
  await expect.poll(() => page().getByRole("tab").allInnerTexts()).toEqual(tabs);
  await expect.poll(() => page().getByRole("textbox", { name: /message|like to do/i }).inputValue()).toBe("half a thought");
  await page().getByRole("complementary").getByRole("button", { name: "how long is this?", exact: true }).click();
  await page().getByText("three", { exact: true }).waitFor();
});

it("keeps streamed text through a crash and says where it broke off", async () => {
  await portico.newChat();
  await portico.say("slow again");
  await page().getByText("Slowly").waitFor();
  await page().waitForTimeout(700); // streamed text is saved at least every 250 ms
  await portico.restart("SIGKILL");
  await page().getByText("Slowly").waitFor();
  await page().getByText("Portico ended in the middle of this.").waitFor();
});

it("renames, deletes and brings back a conversation", async () => {
  const side = page().getByRole("complementary");
  await side.getByRole("button", { name: "how long is this?", exact: true }).dblclick();
  await page().keyboard.type("Essay");
  await page().keyboard.press("Enter");
  await side.getByRole("button", { name: "Essay", exact: true }).waitFor();
  await side.getByRole("button", { name: "Essay", exact: true }).press("Delete");
  await side.getByRole("button", { name: "Essay", exact: true }).waitFor({ state: "hidden" });
  await page().getByRole("button", { name: "Undo" }).click();
  await side.getByRole("button", { name: "Essay", exact: true }).waitFor();
});

it("speaks Spanish, in the dark, as large as it is asked to", async () => {
  await page().keyboard.press("Control+,");
  await page().getByRole("button", { name: "Appearance", exact: true }).click();
  await page().getByRole("radio", { name: "Dark" }).click();
  await expect.poll(() => page().evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  expect(await portico.barriers()).toEqual([]);
  await page().getByRole("button", { name: "General", exact: true }).click();
  await page().getByLabel("Language").click();
  await page().getByRole("option", { name: "Español" }).click();
  await page().getByRole("button", { name: "Extensiones", exact: true }).click();
  await expect.poll(() => page().evaluate(() => document.documentElement.lang)).toBe("es");
  await portico.picture("e2e-spanish-dark");
});

it("never complained", () => {
  expect(portico.complaints).toEqual([]);
});
