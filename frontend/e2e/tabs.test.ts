import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Portico } from "./portico";

/** Tabs and the places in them: what a person arranged is there again. Each step stands on the one before. */
const portico = new Portico();
beforeAll(() => portico.start());
afterAll(async () => {
  await portico.end();
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await portico.picture("e2e-failed-tabs");
});

const page = () => portico.page;
const names = () => page().getByRole("tab").allInnerTexts();
const transcript = () => page().getByRole("log");
/** Entries are saved and sent to the page; a turn without a model ends with what it offers. */
const turns = (n: number) => expect.poll(() => transcript().locator("[data-entry]").count()).toBe(2 * n);

it("opens a tab for each conversation", async () => {
  for (const name of ["first talk", "second talk", "third talk"]) {
    if (name !== "first talk") await portico.newChat();
    await portico.say(name);
    await turns(1);
  }
  expect(await names()).toEqual(["first talk", "second talk", "third talk"]);
});

it("moves a tab by the pointer alone, and shows it where it is going", async () => {
  // The page hears no drag of HTML: in a window that takes files there is none.
  await page().evaluate(() => {
    for (const name of ["dragstart", "dragover", "drop"]) addEventListener(name, (event) => event.stopImmediatePropagation(), { capture: true });
  });
  const first = await page().getByRole("tab", { name: "first talk" }).boundingBox();
  const last = await page().getByRole("tab", { name: "third talk" }).boundingBox();
  if (!first || !last) throw new Error("the tabs have no place");
  const y = first.y + first.height / 2;
  await page().mouse.move(first.x + 20, y);
  await page().mouse.down();
  await page().mouse.move(last.x + last.width - 8, y, { steps: 12 });
  await expect.poll(names).toEqual(["second talk", "third talk", "first talk"]);
  await page().mouse.up();
  expect(await names()).toEqual(["second talk", "third talk", "first talk"]);
  expect(await page().getByRole("tab", { name: "first talk" }).getAttribute("aria-selected")).toBe("true");
});

it("only chooses a tab that is pressed and let go", async () => {
  await page().getByRole("tab", { name: "third talk" }).click();
  expect(await names()).toEqual(["second talk", "third talk", "first talk"]);
  expect(await page().getByRole("tab", { name: "third talk" }).getAttribute("aria-selected")).toBe("true");
});

it("moves a tab by the keyboard", async () => {
  await page().getByRole("tab", { name: "third talk" }).focus();
  await page().keyboard.press("Alt+ArrowLeft");
  await expect.poll(names).toEqual(["third talk", "second talk", "first talk"]);
});

it("has the order, the chosen tab and the place in a long conversation after a restart", async () => {
  for (let n = 2; n <= 9; n++) {
    await portico.say(`message ${n}\n${"and one more line\n".repeat(12)}`);
    await turns(n);
  }
  const third = () => transcript().locator("[data-entry]").filter({ hasText: "message 3" });
  await third().evaluate((message) => message.scrollIntoView({ block: "start" }));
  const top = () => third().evaluate((message) => Math.round(message.getBoundingClientRect().top));
  const before = await top();
  await page().waitForTimeout(1500); // a place and a layout rest before they are saved
  await portico.restart();
  await expect.poll(names).toEqual(["third talk", "second talk", "first talk"]);
  expect(await page().getByRole("tab", { name: "third talk" }).getAttribute("aria-selected")).toBe("true");
  await third().waitFor();
  await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThanOrEqual(2);
  expect(await transcript().evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)).toBeGreaterThan(200);
});

it("never complained", () => {
  expect(portico.complaints).toEqual([]);
});
