import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Portico } from "./portico";

/**
 * An extension written from the author's reference alone, one tool for every row of it: what each gives back is what the person
 * typed and chose, and what was denied never happens.
 */
const portico = new Portico();
const extension = "Everything";
/** Each tool is called by its name. */
const calls = (name: string, args: object | null = {}) => ({ when: `^${name}$`, rounds: [{ steps: [{ call: { name, args } }] }, { steps: [{ text: `${name} is done.` }] }] });
const saved = () => join(portico.person, "Downloads", "saved.txt");
let pages: Server;

beforeAll(async () => {
  mkdirSync(join(portico.person, "Downloads"));
  writeFileSync(join(portico.person, "Downloads", "read.txt"), "from Downloads");
  writeFileSync(join(portico.person, "everything-note.txt"), "from home");
  pages = createServer((_request, response) => response.end("a page"));
  await new Promise<void>((done) => pages.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
  process.env.EVERYTHING_WORD = "sesame";
  await portico.start();
  await portico.install("everything", true);
  await portico.connect(
    await portico.model({
      turns: [
        ...["ask_choice", "ask_free", "ask_multi_free", "ask_text", "ask_diff", "ask_files", "ask_files_multi", "ask_image", "ask_table", "ask_all"].map((name) => calls(name)),
        ...["show_all", "every_progress", "every_context", "every_nothing", "env_read", "env_optional", "run_echo", "ffi_open", "sys_host", "memories_read", "read_own", "schedule_once", "schedule_interval", "schedule_weekly", "schedule_monthly", "schedule_yearly"].map((name) => calls(name, name === "run_echo" ? { text: "again" } : {})),
        calls("every_throw", { message: "boom" }),
        calls("every_signal", { ms: 60_000 }),
        calls("memories_write", { title: "Tea", body: "green" }),
        calls("db_notes", { body: "kept" }),
        calls("llm_complete", { prompt: "Which word?" }),
        calls("tts_speak", { text: "hello" }),
        calls("stt_transcribe", { dataB64: "UklGRg==", mime: "audio/wav", language: "en" }),
        calls("net_any", { url }),
        calls("write_download", { name: saved(), text: "written" }),
        calls("read_templates", { home: join(portico.person, "everything-note.txt"), downloads: join(portico.person, "Downloads", "read.txt") }),
        { when: "^Which word\\?$", rounds: [{ steps: [{ text: "Sesame" }] }] },
      ],
    }),
  );
});
afterAll(async () => {
  await portico.end();
  pages.close();
});
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await portico.picture("e2e-failed");
});

const page = () => portico.page;
const card = () => page().getByRole("form", { name: `asked by ${extension}` });
const prompt = () => page().getByRole("group", { name: "Portico asks for your permission" });

/** Sends a tool's name in a new chat. */
async function call(tool: string): Promise<void> {
  await portico.newChat();
  await portico.say(tool);
}

/** What the tool of the chat in front gave back, as the model was sent it. */
async function result(tool: string): Promise<unknown> {
  await page().locator("[data-active=true]").getByRole("log").getByText(`${tool} is done.`, { exact: true }).waitFor();
  const { messages } = portico.asked().at(-1) as { messages: { role: string; content: string }[] };
  return JSON.parse(messages.findLast((message) => message.role === "tool")?.content ?? "") as unknown;
}

/** Chooses or writes, and sends the form once it takes it. */
async function answer(...steps: (() => Promise<void>)[]): Promise<void> {
  await card().waitFor();
  for (const step of steps) await step();
  await card().getByRole("button", { name: "Answer", exact: true }).click();
}
/** One question of the form. */
const asked = (question: string) => card().getByRole("group", { name: question, exact: true });
const pick = (question: string, label: string) => () => asked(question).getByText(label, { exact: true }).click();
const write = (question: string, box: string | RegExp, text: string) => () => asked(question).getByRole("textbox", { name: box }).fill(text);

it("gives a choice back as it was chosen, and a text as it was typed", async () => {
  await call("ask_choice");
  await answer(pick("Pick a favorite color.", "Blue"));
  expect(await result("ask_choice")).toEqual({ answers: ["blue"] });
  await call("ask_free");
  await answer(write("Pick a color or type one.", "Something else…", "Pale “mauve” \\ 灰"));
  expect(await result("ask_free")).toEqual({ answers: ["Pale “mauve” \\ 灰"] });
  await call("ask_multi_free");
  await answer(pick("Pick some or type more.", "Green"), pick("Pick some or type more.", "Red"), write("Pick some or type more.", "Something else…", " own "));
  expect(await result("ask_multi_free")).toEqual({ answers: [["red", "green", "own"]] });
  await call("ask_text");
  await answer(write("What is it called?", "What is it called?", "  two\nlines  "));
  expect(await result("ask_text")).toEqual({ answers: ["two\nlines"] });
});

it("gives a decision, files, an action and a table back", async () => {
  await call("ask_diff");
  await answer(pick("Apply this change?", "Reject the change"));
  expect(await result("ask_diff")).toEqual({ answers: ["reject"] });
  await call("ask_files");
  await answer(pick("Which file?", "The second"));
  expect(await result("ask_files")).toEqual({ answers: ["/a/two.txt"] });
  await call("ask_files_multi");
  await answer(pick("Which files?", "/a/three.txt"), pick("Which files?", "/a/one.txt"));
  expect(await result("ask_files_multi")).toEqual({ answers: [["/a/one.txt", "/a/three.txt"]] });
  await call("ask_image");
  await card().getByRole("img", { name: "Keep this picture?" }).waitFor();
  expect(await card().getByText("Keep this picture?", { exact: true }).count()).toBe(1); // once, not again under the picture
  await answer(pick("Keep this picture?", "Throw it away"));
  expect(await result("ask_image")).toEqual({ answers: ["discard"] });
  await call("ask_table");
  await answer(
    () => card().getByRole("textbox", { name: "price, row 1" }).fill("3.50"),
    () => card().getByRole("button", { name: "Remove row 2" }).click(),
    () => card().getByRole("button", { name: "Add a row" }).click(),
    () => card().getByRole("textbox", { name: "item, row 2" }).fill("Ëggs"),
  );
  expect(await result("ask_table")).toEqual({ answers: [[{ item: "Bread", price: "3.50" }, { item: "Ëggs", price: "" }]] });
});

it("takes a form of every kind at once, beginning at its first question", async () => {
  await call("ask_all");
  await card().getByText("2 of 7 answered").waitFor();
  await expect.poll(() => asked("Pick a favorite color.").boundingBox().then((box) => box && box.y > 0 && box.y < 400)).toBe(true);
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-everything-form");
  await answer(
    pick("Pick a favorite color.", "Red"), pick("Pick some colors.", "Blue"), write("Pick a color or type one.", "Something else…", "mauve"), pick("Apply this change?", "Accept the change"),
    pick("Which file?", "/a/one.txt"), pick("Keep this picture?", "Keep it"), () => card().getByRole("textbox", { name: "item, row 1" }).fill("Rye"),
  );
  expect(await result("ask_all")).toEqual({ answers: ["red", ["blue"], "mauve", "accept", "/a/one.txt", "keep", [{ item: "Rye", price: "3" }, { item: "Milk", price: "2" }]] });
});

it("shows, tells how far it is, knows the turn, gives nothing, fails in its author's words, and stops", async () => {
  await call("show_all");
  expect(await result("show_all")).toBe("shown");
  const log = page().locator("[data-active=true]").getByRole("log");
  await log.getByRole("heading", { name: "A heading" }).waitFor();
  await log.getByRole("img", { name: "A chequered square" }).waitFor();
  await log.getByRole("cell", { name: "Bread" }).waitFor();
  await log.getByText("numbers.txt").waitFor();
  await call("every_progress");
  expect(await result("every_progress")).toEqual({ steps: 4 });
  await call("every_context");
  expect(await result("every_context")).toMatchObject({ aborted: false, context: { userMessage: "every_context", locale: "en-US", sessionId: expect.any(String) as unknown } });
  await call("every_nothing");
  expect(await result("every_nothing")).toBeNull();
  await call("every_throw");
  expect(JSON.stringify(await result("every_throw"))).toContain("boom");
  await call("every_signal");
  await page().getByRole("button", { name: /^Stop/ }).click();
  await log.getByText(/stopped/i).first().waitFor();
});

/** Answers the prompt that waits, once it can be read. */
async function decide(what: string, decision: "Don't allow" | "Allow once"): Promise<void> {
  await prompt().getByText(`${extension} wants to ${what}`, { exact: true }).waitFor();
  await page().locator("[data-waits=permission] [data-settled]").waitFor();
  await prompt().getByRole("button", { name: decision, exact: true }).click();
}

const once = async (tool: string, what: string): Promise<unknown> => {
  await call(tool);
  await decide(what, "Allow once");
  return result(tool);
};
const denied = async (tool: string, what: string): Promise<string> => {
  await call(tool);
  await decide(what, "Don't allow");
  return JSON.stringify(await result(tool));
};

it("gives each tool what was allowed", async () => {
  expect(await once("env_read", "read the variable EVERYTHING_WORD")).toMatchObject({ word: "sesame", undeclared: expect.stringMatching(/^NotCapable/) as unknown });
  expect(await once("run_echo", "run echo")).toEqual({ code: 0, out: "again\n" });
  expect(await once("ffi_open", "load native code")).toEqual({ pid: true });
  expect(await once("sys_host", "ask the system about hostname")).toMatchObject({ host: expect.any(String) as unknown, undeclared: expect.stringMatching(/^NotCapable/) as unknown });
  expect(await once("net_any", "reach any address on the network")).toEqual({ status: 200, body: "a page" });
  expect(await once("write_download", "write to your Downloads")).toMatchObject({ saved: saved() });
  expect(readFileSync(saved(), "utf8")).toBe("written");
  await call("read_templates");
  await decide("read everything-note.txt in your home folder", "Allow once");
  await decide("read your Downloads", "Allow once");
  await decide("read /etc/hostname", "Don't allow");
  expect(await result("read_templates")).toMatchObject({ home: "from home", downloads: "from Downloads", absolute: expect.stringMatching(/^NotCapable/) as unknown, undeclared: expect.stringMatching(/^NotCapable/) as unknown });
  await call("read_own"); // its own folder is asked about by nobody
  expect(await result("read_own")).toEqual({ words: "alpha\nbeta\n" });
});

it("keeps from each tool what was not allowed", async () => {
  expect(await denied("run_echo", "run echo")).not.toContain("again");
  expect(await denied("env_optional", "read the variable EVERYTHING_WORD")).not.toContain("sesame");
  expect(await denied("ffi_open", "load native code")).not.toContain("pid");
  expect(await denied("net_any", "reach any address on the network")).not.toContain("a page");
  writeFileSync(saved(), "before");
  expect(await denied("write_download", "write to your Downloads")).not.toContain("saved");
  expect(readFileSync(saved(), "utf8")).toBe("before");
  expect(await denied("memories_read", "read your memories")).not.toContain("titles");
  expect(await denied("llm_complete", "use the language model")).not.toContain("Sesame");
});

it("reaches the capabilities: memories, the database, the model; and says what is switched off", async () => {
  expect(await once("memories_write", "change your memories")).toMatchObject({ written: { created: true, after: "green" }, after: { title: "Tea", content: "green (edited)" } });
  expect(await once("memories_read", "read your memories")).toMatchObject({ titles: ["Tea"] });
  await call("db_notes"); // the manifest's line is enough
  expect(await result("db_notes")).toMatchObject({ executed: { changes: 1, lastInsertRowId: 1 }, rows: [{ body: "kept" }] });
  expect(await once("llm_complete", "use the language model")).toEqual({ answer: { text: "Sesame" } });
  expect(JSON.stringify(await once("tts_speak", "speak aloud"))).toContain("switched off");
  expect(JSON.stringify(await once("stt_transcribe", "listen and write down speech"))).toContain("switched off");
});

it("proposes each of the five schedules, kept as it was reviewed", async () => {
  const review = page().getByRole("group", { name: /would like to schedule this/ });
  for (const kind of ["once", "interval", "weekly", "monthly", "yearly"]) {
    await call(`schedule_${kind}`);
    await review.getByText("Next times").waitFor();
    await review.getByLabel("Title").fill(`Reviewed ${kind}`);
    await review.getByRole("button", { name: "Schedule it" }).click();
    expect(await result(`schedule_${kind}`)).toMatchObject({ result: { accepted: true, draft: { title: `Reviewed ${kind}`, instruction: "Remind me to water the plants.", runMissed: true, schedule: { kind } } } });
  }
  await call("schedule_weekly");
  await review.getByRole("button", { name: "Decline" }).click();
  expect(await result("schedule_weekly")).toEqual({ result: { accepted: false } });
});

it("never complained", () => {
  expect(portico.complaints).toEqual([]);
  expect(existsSync(saved())).toBe(true);
});
