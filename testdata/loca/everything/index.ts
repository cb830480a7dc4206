import type { Question, Schedule, ToolContext } from "./types.ts";
import { picture } from "@/picture.ts";

// ---- arguments, progress, log, signal, context ----

export async function everyArg(args: Record<string, unknown>, _ctx: ToolContext) {
  return args;
}

export async function everyProgress(args: { steps?: number }, ctx: ToolContext) {
  const steps = args.steps ?? 4;
  for (let i = 1; i <= steps; i++) {
    ctx.setProgress(i / steps, `Step ${i}`, `Doing step ${i} of ${steps}`);
    await new Promise((r) => setTimeout(r, 150));
  }
  return { steps };
}

export async function everyLog(args: { message: string }, ctx: ToolContext) {
  for (const level of ["debug", "info", "warn", "error"] as const) ctx.log(level, `${level}: ${args.message}`);
  return "logged";
}

export function everySignal(args: { ms?: number }, ctx: ToolContext) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve({ cancelled: false }), args.ms ?? 60000);
    ctx.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new Error("stopped because the signal fired"));
    });
  });
}

export async function everyContext(_args: unknown, ctx: ToolContext) {
  return { context: await ctx.getChatContext(), aborted: ctx.signal.aborted };
}

export async function everyThrow(args: { message: string }) {
  throw new Error(args.message);
}

export async function everyNothing() {}

// ---- asking ----

const colors = [
  { label: "Red", value: "red" },
  { label: "Blue", value: "blue" },
  { label: "Green", value: "green" },
];
const choice: Question = { question: "Pick a favorite color.", options: colors };
const multi: Question = { kind: "choice", question: "Pick some colors.", options: colors, multiselect: true };
const free: Question = { kind: "choice", question: "Pick a color or type one.", options: colors, allowFreeformInput: true };
const multiFree: Question = { kind: "choice", question: "Pick some or type more.", options: colors, multiselect: true, allowFreeformInput: true };
const textOnly: Question = { question: "What is it called?" };
const diff: Question = { kind: "diff", question: "Apply this change?", before: "one\ntwo\nthree\n", after: "one\n2\nthree\n" };
const files: Question = { kind: "files", question: "Which file?", entries: [{ path: "/a/one.txt" }, { path: "/a/two.txt", label: "The second" }, { path: "/a/three.txt", description: "Not read yet" }] };
const filesMulti: Question = { ...files, question: "Which files?", multiselect: true };
const image: Question = {
  kind: "image",
  question: "Keep this picture?",
  dataB64: picture,
  mime: "image/png",
  actions: [{ label: "Keep it", value: "keep" }, { label: "Throw it away", value: "discard" }],
};
const table: Question = {
  kind: "table",
  question: "Correct the prices.",
  columns: ["item", "price"],
  rows: [["Bread", "3"], ["Milk", "2"]],
};

const ask = (...qs: Question[]) => async (_args: unknown, ctx: ToolContext) => {
  const answers = await ctx.askUser(qs);
  return { answers };
};

export const askChoice = ask(choice);
export const askMulti = ask(multi);
export const askFree = ask(free);
export const askMultiFree = ask(multiFree);
export const askText = ask(textOnly);
export const askDiff = ask(diff);
export const askFiles = ask(files);
export const askFilesMulti = ask(filesMulti);
export const askImage = ask(image);
export const askTable = ask(table);
export const askAll = ask(choice, multi, free, diff, files, image, table);

export async function askSlow(_args: unknown, ctx: ToolContext) {
  const first = await ctx.askUser([choice]);
  const second = await ctx.askUser([{ ...choice, question: "And another?" }]);
  return { answers: [...first, ...second] };
}

// ---- showing ----

export async function showAll(_args: unknown, ctx: ToolContext) {
  ctx.display.markdown("# A heading\n\nSome **bold** text and a list:\n\n- one\n- two\n");
  ctx.display.image(picture, "image/png", "A chequered square");
  ctx.display.table(["item", "price"], [["Bread", "3"], ["Milk", "2"]]);
  ctx.display.diff("one\ntwo\n", "one\n2\n", "numbers.txt");
  return "shown";
}

// ---- capabilities ----

export async function memoriesRead(args: { title?: string; file?: string }, ctx: ToolContext) {
  const list = await ctx.memories.list();
  return {
    titles: list.map((m) => m.title).sort(),
    got: args.title ? await ctx.memories.get(args.title) : null,
    file: args.title && args.file ? await ctx.memories.getFile(args.title, args.file) : null,
  };
}

export async function memoriesWrite(args: { title: string; body: string }, ctx: ToolContext) {
  const written = await ctx.memories.write(args.title, args.body);
  const edited = await ctx.memories.edit(args.title, args.body, `${args.body} (edited)`);
  return { written, edited, after: await ctx.memories.get(args.title) };
}

export async function dbNotes(args: { body: string }, ctx: ToolContext) {
  await ctx.db.execute("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, body TEXT)");
  const executed = await ctx.db.execute("INSERT INTO notes (body) VALUES (?)", [args.body]);
  const rows = await ctx.db.query("SELECT body FROM notes ORDER BY id DESC LIMIT 5");
  return { executed, rows };
}

export async function llmComplete(args: { prompt: string }, ctx: ToolContext) {
  return { answer: await ctx.llm.complete({ prompt: args.prompt, systemPrompt: "Answer in one word.", maxTokens: 20 }) };
}

export async function llmOptional(args: { prompt: string }, ctx: ToolContext) {
  try {
    return { answer: await ctx.llm.complete({ prompt: args.prompt }) };
  } catch (e) {
    return { refused: (e as Error).message };
  }
}

export async function ttsSpeak(args: { text: string }, ctx: ToolContext) {
  return { spoken: await ctx.tts.speak(args.text) };
}

export async function sttTranscribe(args: { dataB64: string; mime?: string; language?: string }, ctx: ToolContext) {
  return { heard: await ctx.stt.transcribe(args) };
}

const schedule = (s: () => Schedule) => async (_args: unknown, ctx: ToolContext) => {
  const result = await ctx.schedulePrompt({
    title: "Water the plants",
    instruction: "Remind me to water the plants.",
    runMissed: true,
    schedule: s(),
  });
  return { result };
};
export const scheduleOnce = schedule(() => ({ kind: "once", atMs: Date.now() + 86400000 }));
export const scheduleInterval = schedule(() => ({ kind: "interval", everyMinutes: 90 }));
export const scheduleWeekly = schedule(() => ({ kind: "weekly", weekdays: [0, 6], hour: 9, minute: 5 }));
export const scheduleMonthly = schedule(() => ({ kind: "monthly", day: 31, hour: 18, minute: 0 }));
export const scheduleYearly = schedule(() => ({ kind: "yearly", month: 2, day: 29, hour: 7, minute: 30 }));

// ---- the sandbox ----

const attempt = async (f: () => unknown) => {
  try {
    return await f();
  } catch (e) {
    return `${(e as Error).name}: ${(e as Error).message}`;
  }
};

export async function netFetch(args: { url: string }, ctx: ToolContext) {
  const response = await fetch(args.url, { signal: ctx.signal });
  return { status: response.status, body: await response.text() };
}

export async function readOwn() {
  return { words: await Deno.readTextFile(new URL("./words.txt", import.meta.url)) };
}

export async function readTemplates(args: Record<string, string | undefined>) {
  const ls = (p: string) => attempt(() => [...Deno.readDirSync(p)].map((e) => e.name).sort());
  return {
    home: args.home && await attempt(() => Deno.readTextFile(args.home!)),
    downloads: args.downloads && await attempt(() => Deno.readTextFile(args.downloads!)),
    models: args.models && await ls(args.models),
    sessions: args.sessions && await ls(args.sessions),
    env: args.env && await attempt(() => Deno.readTextFile(args.env!)),
    absolute: await attempt(() => Deno.readTextFile("/etc/hostname")),
    undeclared: await attempt(() => Deno.readTextFile("/etc/passwd")),
  };
}

export async function writeDownload(args: { name: string; text: string }) {
  const home = await attempt(() => Deno.env.get("HOME"));
  // The tool is told where Downloads is by nobody, so it is given an absolute name.
  await Deno.writeTextFile(args.name, args.text);
  return { saved: args.name, home };
}

export async function runEcho(args: { text: string }) {
  const out = await new Deno.Command("echo", { args: [args.text] }).output();
  return { code: out.code, out: new TextDecoder().decode(out.stdout) };
}

export async function envRead() {
  return { word: await attempt(() => Deno.env.get("EVERYTHING_WORD") ?? null), undeclared: await attempt(() => Deno.env.get("PATH")) };
}

export async function ffiOpen() {
  const name = Deno.build.os === "darwin" ? "libSystem.dylib" : Deno.build.os === "windows" ? "msvcrt.dll" : "libc.so.6";
  const lib = Deno.dlopen(name, { getpid: { parameters: [], result: "i32" } });
  const pid = lib.symbols.getpid();
  lib.close();
  return { pid: pid > 0 };
}

export async function sysHost() {
  return { host: Deno.hostname(), undeclared: await attempt(() => Deno.osRelease()) };
}
