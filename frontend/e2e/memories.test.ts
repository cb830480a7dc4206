import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Portico } from "./portico";

/** Memories are files: made and changed here, changed by other programs, and named in a message with "@". */
const portico = new Portico();
const file = (name: string) => join(portico.home, "memories", "knowledge", name);

beforeAll(async () => {
  await portico.start();
  await portico.connect(await portico.model({ turns: [{ when: "tyres", rounds: [{ steps: [{ text: "Two hundred and five." }] }] }] }));
});
afterAll(async () => {
  await portico.end();
});
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await portico.picture("e2e-failed");
});

const page = () => portico.page;
const text = (title: string) => page().getByRole("textbox", { name: `Text of ${title}`, exact: true });
const save = () => page().getByRole("button", { name: "Save", exact: true }).click();

it("begins with nothing, and makes the first", async () => {
  await page().keyboard.press("Control+,");
  await page().getByRole("button", { name: "Memories", exact: true }).click();
  await page().getByText("Nothing is remembered yet").waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-memories-empty");
  await page().getByRole("button", { name: "New knowledge" }).click();
  await page().keyboard.type("My car");
  await text("My car").fill("# My car\n\nTyres: 205/55 R16, **winter** ones in the cellar.\n");
  await page().keyboard.press("Control+s");
  await page().getByText("Everything is saved.").waitFor();
  expect(readFileSync(file("My car.md"), "utf8")).toContain("205/55 R16");
  await page().getByRole("radio", { name: "Read" }).click();
  await page().getByRole("heading", { name: "My car", level: 1 }).waitFor();
  await page().getByRole("radio", { name: "Write" }).click();
});

it("follows a file that another program changes, and says so where a change here is not saved", async () => {
  writeFileSync(file("My car.md"), "# My car\n\nTyres: 225/45 R17.\n");
  await expect.poll(() => text("My car").inputValue()).toContain("225/45");
  await text("My car").fill("# My car\n\nTyres: 205/55 R16, all year.\n");
  writeFileSync(file(".car.tmp"), "# My car\n\nSold.\n");
  renameSync(file(".car.tmp"), file("My car.md")); // as editors save
  await page().getByText("My car was changed on disk meanwhile").waitFor();
  await page().getByRole("button", { name: "See the difference" }).click();
  await page().getByRole("figure", { name: "From the file to your text" }).waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-memories-meanwhile");
  expect(readFileSync(file("My car.md"), "utf8")).toContain("Sold.");
  await page().getByRole("button", { name: "Go on with mine" }).click();
  await save();
  await expect.poll(() => readFileSync(file("My car.md"), "utf8")).toContain("all year");
});

it("keeps what is not saved when another page is looked at, and when the window is loaded again", async () => {
  await text("My car").fill("# My car\n\nNot saved yet.\n");
  await page().getByRole("button", { name: "General", exact: true }).click();
  await page().getByRole("button", { name: "Memories", exact: true }).click();
  await page().getByText("not saved", { exact: true }).waitFor();
  await page().getByRole("button", { name: "My car", exact: true }).click();
  expect(await text("My car").inputValue()).toContain("Not saved yet.");
  await page().reload();
  await page().getByText("not saved", { exact: true }).waitFor();
  await expect.poll(() => text("My car").inputValue()).toContain("Not saved yet.");
  await page().getByRole("button", { name: "Discard the changes" }).click();
  expect(await text("My car").inputValue()).toContain("all year");
});

it("renames, removes, and brings back", async () => {
  await page().getByRole("textbox", { name: "Title" }).fill("The car");
  await save();
  await text("The car").waitFor();
  expect(existsSync(file("The car.md")) && !existsSync(file("My car.md"))).toBe(true);
  await page().getByRole("button", { name: "More for The car" }).click();
  await page().getByRole("menuitem", { name: "Remove" }).click();
  await page().getByText("The car was removed.").first().waitFor();
  await expect.poll(() => existsSync(file("The car.md"))).toBe(false);
  await page().getByRole("button", { name: "Undo" }).last().click();
  await expect.poll(() => existsSync(file("The car.md"))).toBe(true);
  await text("The car").waitFor();
  await portico.picture("e2e-memories");
});

it("gives the model what a message names with @", async () => {
  await portico.newChat();
  const message = page().getByRole("textbox", { name: /message/i });
  await message.pressSequentially("Which tyres has @the");
  const list = page().getByRole("listbox", { name: "Memories" });
  await list.getByRole("option", { name: /The car/ }).waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-mention");
  await page().keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  await message.fill("");
  await message.pressSequentially("Which tyres has @the");
  await list.waitFor();
  await page().keyboard.press("Enter");
  expect(await message.inputValue()).toBe('Which tyres has @"The car" ');
  await page().keyboard.press("Enter");
  await page().getByRole("log").getByText("Two hundred and five.").waitFor();
  expect(JSON.stringify(portico.asked().at(-1))).toContain("205/55 R16, all year");
});

it("never complained", () => {
  expect(portico.complaints).toEqual([]);
});
