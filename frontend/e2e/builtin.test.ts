import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Portico } from "./portico";

/** What comes with Portico: there from the start, with no network, and gone for good where the person does not want it. */
const portico = new Portico();
beforeAll(() => portico.start());
afterAll(async () => {
  await portico.end();
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await portico.picture("e2e-failed-builtin");
});

const page = () => portico.page;
const openExtensions = async () => {
  await page().keyboard.press("Control+,");
  await page().getByRole("button", { name: "Extensions", exact: true }).click();
};
const tile = () => page().getByRole("button", { name: "Built-in Tools", exact: true });

it("works out a sum on a fresh computer", async () => {
  await portico.say("calculate");
  await page().getByRole("textbox", { name: /expression/i }).last().fill("2 + 3 * 4");
  await page().getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(() => page().getByRole("log").innerText()).toMatch(/result: 14$/m);
});

it("is the person's to remove, and stays so", async () => {
  await openExtensions();
  await tile().waitFor();
  await page().getByRole("button", { name: /more/i }).last().click();
  await page().getByRole("menuitem", { name: "Remove…" }).click();
  await page().getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await page().getByText("Nothing installed yet").waitFor();
  await portico.restart();
  await openExtensions();
  await page().getByText("Nothing installed yet").waitFor();
});

it("comes back when they ask for it", async () => {
  await page().getByRole("button", { name: "Add", exact: true }).first().click();
  await page().getByRole("menuitem", { name: "The built-in tools" }).click();
  await tile().waitFor();
  await page().getByRole("heading", { name: "Built-in Tools" }).waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-builtin");
});

it("never complained", () => {
  expect(portico.complaints).toEqual([]);
});
