/**
 * Runs one call of one Loca tool, and ends. It talks to the host in lines on its standard streams: JSON, and from the
 * worker to the host with a mark in front that only this module and the host know, so that what an extension prints is
 * never taken for a frame. The host checks every frame all the same: nothing here is trusted.
 *
 * Everything this module uses is taken before the extension's code is loaded. An extension that changes a prototype or a
 * global changes it for itself.
 */
import type { Answer, ChatContext, Completion, Question, Recording, ScheduleDraft, SqlValue, ToolContext } from "./types.ts";

interface Boot {
  mark: string;
  entry: string;
}

interface Call {
  fn: string;
  args: unknown;
  context: ChatContext;
}

type Incoming =
  | { type: "call"; call: Call }
  | { type: "cancel" }
  | { type: "answers"; request: number; answers?: Answer[]; error?: string }
  | { type: "answer"; request: number; result?: unknown; error?: string };

const { stdin, stdout, exit } = Deno;
const read = stdin.read.bind(stdin);
const write = stdout.writeSync.bind(stdout);
const parse = JSON.parse;
const stringify = JSON.stringify;
const encoder = new TextEncoder();
const encode = encoder.encode.bind(encoder);
const decoder = new TextDecoder();
const decode = decoder.decode.bind(decoder);
const AbortControllerNow = AbortController;
const ErrorNow = Error;
const PromiseNow = Promise;
const { isArray } = Array;
const { freeze } = Object;
const { isFinite, isInteger } = Number;
const text = String;
const { apply } = Reflect;
const abortNow = AbortController.prototype.abort;
const { subarray } = Uint8Array.prototype;
const { inspect } = Deno;

/** The longest result that a host takes, in UTF-16 units; the host checks the bytes. */
const MAX_RESULT = 8 * 1024 * 1024;

let mark = "";
let rehearsing = false;

/**
 * Sends one frame, or throws when it has no JSON. It starts on a line of its own whatever was printed before it. The
 * bytes with the mark never meet a method that an extension may have replaced.
 */
function send(frame: Record<string, unknown>): void {
  sendText(stringify(frame));
}

function sendText(frame: string): void {
  const bytes = encode("\n" + mark + frame + "\n");
  const { length } = bytes;
  let at = rehearsing ? length : 0;
  while (at < length) at += write(at === 0 ? bytes : apply(subarray, bytes, [at]));
}

/**
 * A reader of lines that keeps what is left over. A line may be many megabytes long and comes in small pieces: each is looked
 * at once.
 */
function lines(): () => Promise<string | null> {
  let rest = "";
  let line: string[] = [];
  const buffer = new Uint8Array(1 << 20);
  return async () => {
    for (;;) {
      const end = rest.indexOf("\n");
      if (end >= 0) {
        line[line.length] = rest.slice(0, end);
        rest = rest.slice(end + 1);
        const whole = line.length === 1 ? line[0]! : line.join("");
        line = [];
        return whole;
      }
      if (rest) line[line.length] = rest;
      const n = await read(buffer);
      if (n === null) return null;
      rest = decode(buffer.subarray(0, n), { stream: true });
    }
  };
}

/** What crosses of a thrown message and of its stack, in UTF-16 code units: more is for nobody to read. */
const MAX_THROWN = 64_000;
const { slice } = String.prototype;

/** More of a text than any host shows; the host cuts it where it says so. */
const MAX_TEXT = 300_000;
const clipped = (said: string): string => (said.length > MAX_TEXT ? apply(slice, said, [0, MAX_TEXT]) : said);
const shortened = (said: string): string => (said.length > MAX_THROWN ? `${apply(slice, said, [0, MAX_THROWN])}…` : said);

/** What was thrown, in words: authors throw more than errors. */
function reason(thrown: unknown): { message: string; stack?: string } {
  try {
    if (thrown instanceof ErrorNow) {
      return { message: shortened(text(thrown.message) || text(thrown.name)), stack: thrown.stack === undefined ? undefined : shortened(text(thrown.stack)) };
    }
    if (typeof thrown === "string") return { message: shortened(thrown) };
    if (thrown === undefined || thrown === null) return { message: `the tool threw ${text(thrown)}` };
    const json = stringify(thrown);
    return { message: shortened(json === undefined ? text(thrown) : json) };
  } catch {
    return { message: "the tool threw something that can't be put into words" };
  }
}

// deno-lint-ignore no-explicit-any -- each request knows what it resolves to
const waiting = new Map<number, { resolve(answer: any): void; reject(error: Error): void }>();
let requests = 0;

function ask(questions: readonly Question[]): Promise<Answer[]> {
  return new PromiseNow((resolve, reject) => {
    if (!isArray(questions) || questions.length === 0) {
      resolve([]);
      return;
    }
    const request = ++requests;
    waiting.set(request, { resolve, reject });
    try {
      send({ type: "ask", request, questions });
    } catch (thrown) {
      waiting.delete(request);
      reject(new ErrorNow(`askUser: the questions have no JSON: ${reason(thrown).message}`));
    }
  });
}

/** A frame may be as long as the host reads; arguments that are longer go ahead of their request in parts, UTF-16 units. */
const MAX_PART = 4 * 1024 * 1024;
const { charCodeAt } = String.prototype;

/** Asks the host for one member of the toolkit. */
function request<T>(op: string, args: Record<string, unknown>): Promise<T> {
  return new PromiseNow((resolve, reject) => {
    const number = ++requests;
    let json: string;
    try {
      json = stringify(args);
    } catch (thrown) {
      reject(new ErrorNow(`${op}: the arguments have no JSON: ${reason(thrown).message}`));
      return;
    }
    waiting.set(number, { resolve, reject });
    if (json.length <= MAX_PART) {
      sendText(`{"type":"request","request":${number},"op":"${op}","args":${json}}`);
      return;
    }
    for (let at = 0; at < json.length;) {
      let end = at + MAX_PART;
      const last = apply(charCodeAt, json, [end - 1]) as number;
      if (last >= 0xd800 && last <= 0xdbff) end++; // a pair of surrogates stays together
      send({ type: "part", request: number, text: apply(slice, json, [at, end]) });
      at = end;
    }
    send({ type: "request", request: number, op, inParts: true });
  });
}

let chat: ChatContext = { userMessage: "", sessionId: null };

function toolkit(signal: AbortSignal): ToolContext {
  const show = (display: Record<string, unknown>): void => {
    try {
      send({ type: "display", display });
    } catch (thrown) {
      send({ type: "log", level: "warn", message: `display.${text(display.kind)} was dropped: it has no JSON (${reason(thrown).message})` });
    }
  };
  const members = {
    setProgress(progress: number, label?: string, description?: string): void {
      const number = +progress;
      const fraction = isFinite(number) ? (number < 0 ? 0 : number > 1 ? 1 : number) : 0;
      send({ type: "progress", fraction, label: label === undefined ? "" : clipped(text(label)), description: description === undefined ? "" : clipped(text(description)) });
    },
    log(level: string, message: string): void {
      send({ type: "log", level: clipped(text(level)), message: clipped(text(message)) });
    },
    signal,
    getChatContext: (): ChatContext => ({ ...chat }),
    askUser: ask,
    display: freeze({
      markdown: (markdown: string): void => show({ kind: "markdown", markdown: clipped(text(markdown)) }),
      image: (dataB64: string, mime: string, alt?: string): void => show({ kind: "image", dataB64: text(dataB64), mime: text(mime), alt: alt === undefined ? "" : text(alt) }),
      table: (columns: readonly string[], rows: readonly (readonly unknown[])[]): void => show({ kind: "table", columns, rows }),
      diff: (before: string, after: string, title?: string): void => show({ kind: "diff", before: text(before), after: text(after), title: title === undefined ? "" : text(title) }),
    }),
    memories: freeze({
      list: () => request("memories.list", {}),
      get: (title: string) => request("memories.get", { title }),
      getFile: (title: string, name: string) => request("memories.getFile", { title, name }),
      write: (title: string, content: string) => request("memories.write", { title, content }),
      edit: (title: string, find: string, replace: string) => request("memories.edit", { title, find, replace }),
    }),
    db: freeze({
      query: (sql: string, params?: readonly SqlValue[]) => request("db.query", { sql, params }),
      execute: (sql: string, params?: readonly SqlValue[]) => request("db.execute", { sql, params }),
    }),
    llm: freeze({ complete: (asked: Completion) => request("llm.complete", { ...asked }) }),
    tts: freeze({ speak: (spoken: string) => request("tts.speak", { text: spoken }) }),
    stt: freeze({ transcribe: (recording: Recording) => request("stt.transcribe", { ...recording }) }),
    schedulePrompt: (draft: ScheduleDraft) => request("schedulePrompt", { ...draft }),
  };
  return freeze(members as ToolContext);
}

/** What an extension prints goes to its log, by level. */
function captureConsole(): void {
  const printer = (level: string) => (...values: unknown[]): void => {
    let message = "";
    for (let n = 0; n < values.length; n++) {
      message += (message && " ") + (typeof values[n] === "string" ? values[n] : inspect(values[n], { colors: false }));
    }
    send({ type: "log", level, message: clipped(message) });
  };
  Object.assign(console, { debug: printer("debug"), log: printer("info"), info: printer("info"), warn: printer("warn"), error: printer("error"), trace: printer("debug"), dir: printer("info"), table: printer("info") });
}

async function run(tools: Record<string, unknown>, call: Call, ctx: ToolContext): Promise<void> {
  const fn = tools[call.fn];
  if (typeof fn !== "function") {
    send({ type: "failed", message: `the extension's entry module has no export "${call.fn}"` });
    return;
  }
  let result: unknown;
  try {
    result = await apply(fn, undefined, [call.args, ctx]);
  } catch (thrown) {
    send({ type: "failed", ...reason(thrown) });
    return;
  }
  try {
    const json = stringify(result) ?? "null"; // undefined and functions have no JSON
    if (json.length > MAX_RESULT) send({ type: "too-big", size: json.length });
    else sendText('{"type":"result","result":' + json + "}");
  } catch (thrown) {
    send({ type: "unserialisable", ...reason(thrown) });
  }
}

/**
 * Goes through a call without sending anything, so that the real one finds its code compiled: half of the time of a small
 * call would go into that.
 */
async function rehearse(ctx: ToolContext): Promise<void> {
  rehearsing = true;
  const tool = (_args: unknown, ctx: ToolContext): unknown => {
    ctx.setProgress(1);
    ctx.getChatContext();
    return {};
  };
  await run({ tool }, { fn: "tool", args: {}, context: chat }, ctx);
  rehearsing = false;
}

async function main(): Promise<void> {
  const next = lines();
  const first = await next();
  if (first === null) exit(0);
  const boot = parse(first as string) as Boot;
  mark = boot.mark;
  captureConsole();
  let tools: Record<string, unknown>;
  try {
    tools = await import(boot.entry);
  } catch (thrown) {
    send({ type: "unloadable", ...reason(thrown) });
    exit(0);
  }
  const controller = new AbortControllerNow();
  const ctx = toolkit(controller.signal);
  await rehearse(ctx);
  send({ type: "ready" });
  for (;;) {
    const line = await next();
    if (line === null) exit(0); // the host is gone
    const frame = parse(line as string) as Incoming;
    switch (frame.type) {
      case "call":
        chat = frame.call.context;
        run(tools!, frame.call, ctx).then(() => exit(0), () => exit(1));
        break;
      case "cancel": {
        apply(abortNow, controller, [new ErrorNow("User interrupted")]);
        for (const [, asked] of waiting) asked.reject(new ErrorNow("User interrupted"));
        waiting.clear();
        break;
      }
      case "answers": {
        if (!isInteger(frame.request)) break;
        const asked = waiting.get(frame.request);
        waiting.delete(frame.request);
        if (frame.error !== undefined) asked?.reject(new ErrorNow(frame.error));
        else asked?.resolve(frame.answers ?? []);
        break;
      }
      case "answer": {
        if (!isInteger(frame.request)) break;
        const asked = waiting.get(frame.request);
        waiting.delete(frame.request);
        if (frame.error !== undefined) asked?.reject(new ErrorNow(frame.error));
        else asked?.resolve(frame.result);
        break;
      }
    }
  }
}

// A rejection that the extension forgot ends the call in words, not the process without any.
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  send({ type: "log", level: "error", message: `a promise was rejected and nobody handled it: ${reason(event.reason).message}` });
});

await main();
