/** A core that is scripted: for tests of components, and for looking at every state of the window without one. */
import { ProblemError, type Carrier, type Check, type Containment, type ExtensionView, type File, type Found, type HostEvent, type MemoryItem, type MemoryList, type About, type Methods, type ModelChoice, type Permission, type PermissionView, type Problem, type Review, type Risk, type Schedule, type ScheduleRun, type Session, type Settings, type ToolView, type VaultState, type VaultStatus, type VoiceStatus } from "../src/host";

export const containment: Containment = { level: "full", what: "Landlock ABI 7, seccomp" };

export const info: About = { version: "0.1.0", platform: "linux/amd64", data: "/home/ana/.local/share/portico", native: false, locale: "en", home: "/home/ana", containment };

export const settings: Settings = { theme: "light", language: "en", zoom: 100, stepLimit: 12, workers: { running: 8, ahead: 4, megabytes: 512, cpuSeconds: 1800 } };

export const permission = (p: Permission, risk: Risk, more: Partial<PermissionView> = {}): PermissionView => ({ permission: p, key: `${p.kind}:${p.path ?? p.host ?? p.binary ?? p.envKey ?? p.flag ?? ""}`, decision: "ask", risk, ...more });

type ToolSeed = Partial<ToolView["tool"]> & { name: string; description: string };

export function toolView(id: string, extension: string, tool: ToolSeed, more: Partial<ToolView> = {}): ToolView {
  const title = tool.name.replaceAll("_", " ");
  return {
    address: `${id}/${tool.name}`, ref: { scope: "agent", format: "loca", id }, extension, title: title[0]!.toUpperCase() + title.slice(1), enabled: false, available: true, permissions: [],
    ...more, tool: { schema: { type: "object", properties: {} }, effect: "writes", ...tool },
  };
}

export function extensionView(id: string, displayName: string, description: string, tools: ToolView[], more: Partial<ExtensionView> = {}): ExtensionView {
  return {
    extension: { id, format: "loca", displayName, description, version: "1.0.0", license: "MIT", publisher: "Falkenslab", tools: tools.map((view) => view.tool) },
    scope: "agent", origin: "installed", root: `/home/ana/.local/share/portico/extensions/${id}`, source: `/home/ana/Code/${id}`,
    fingerprint: "8617dfd7c2a94b1e6f0d3a5b7c9e1f2a4b6c8d0e2f4a6b8c0d2e4f6aae2e2a8f", installedAt: "2026-11-28T09:30:00Z", enabled: true, files: 14, bytes: 38_214, toolViews: tools, ...more,
  };
}

const wordCount = toolView("loca-extension-wordcount", "Word Count", {
  name: "word_count", description: "Count the words and characters in a piece of text.", effect: "reads", triggers: ["count the words in this"],
  schema: { type: "object", properties: { text: { type: "string", description: "The text to measure." } }, required: ["text"] },
}, { enabled: true });

const cleanText = toolView("loca-extension-textcleaner", "Text Cleaner", {
  name: "clean_text", description: "Remove double spaces and odd line breaks from a text, and save a clean copy.",
  schema: {
    type: "object", required: ["path", "style"],
    properties: {
      path: { type: "string", description: "Which file to clean.", minLength: 1 }, style: { enum: ["gentle", "thorough"], description: "How much to change.", default: "gentle" },
      keep_line_breaks: { type: "boolean", description: "Leave every line where it is.", default: true }, max_length: { type: "integer", minimum: 20, maximum: 400, description: "Longest line, in characters." },
      encoding: { enum: ["utf-8", "utf-16", "latin-1", "windows-1252", "macintosh"], default: "utf-8" },
      replacements: { type: "array", description: "What else to replace.", items: { type: "object", required: ["from"], properties: { from: { type: "string" }, to: { type: "string" } } } },
      due: { type: "string", format: "date" }, contact: { type: "string", format: "email" }, api_key: { type: "string" },
      extra: { description: "Anything else." },
      target: { oneOf: [{ title: "A file", type: "object", properties: { name: { type: "string" } }, required: ["name"] }, { title: "The clipboard", type: "object", properties: { plain: { type: "boolean" } } }] },
    },
  },
}, {
  enabled: true,
  permissions: [
    permission({ kind: "write", path: "$downloads", reason: "Save the cleaned file where you can find it." }, { code: "replace-files", level: "medium" }, { resolved: "/home/ana/Downloads", decision: "allow" }),
    permission({ kind: "net", host: "example.com", ports: ["443"], reason: "Fetch the source document.", optional: true }, { code: "one-address", level: "low" }),
    permission({ kind: "run", binary: "pandoc", reason: "Convert Word files.", optional: true }, { code: "anything-you-can", level: "high" }, { decision: "deny" }),
  ],
});
const openJokebook = toolView("loca-extension-jokebook", "Jokebook", { name: "classic_joke", description: "Gives a classic pirate joke.", effect: "reads" }, { permissions: [permission({ kind: "env", envKey: "JOKES_API_KEY", reason: "Signs in to the joke service." }, { code: "one-variable", level: "medium" })] });
const rank = toolView("loca-extension-jokebook", "Jokebook", { name: "rank_jokes", description: "Ranks the jokes kept in a knowledge base." }, { available: false });
const tail = toolView("loca-extension-logtail", "Log Tail", { name: "watch_log", description: "Watches a log and tells you." }, { permissions: [permission({ kind: "read", path: "$home", reason: "Follow whichever log you name." }, { code: "read-everything", level: "high" }, { resolved: "/home/ana" })] });

export const drift: Problem = { code: "extension.drift", what: "Files of Log Tail changed after it was installed.", where: "index.js", next: "Look at what changed, then install it again.", detail: "fingerprint is 1f0a…, was 8617…", params: { extension: "Log Tail" } };

export const extensions: ExtensionView[] = [
  extensionView("loca-extension-jokebook", "Jokebook", "Classic pirate jokes, and ranking the jokes kept in a knowledge base.", [openJokebook, rank], { enabled: false, extension: { id: "loca-extension-jokebook", format: "loca", displayName: "Jokebook", description: "Classic pirate jokes, and ranking the jokes kept in a knowledge base.", version: "1.0.0", license: "MIT", publisher: "Falkenslab", tools: [], memories: [{ kind: "skill", path: "skills/rank-jokes/SKILL.md" }] } }),
  extensionView("loca-extension-logtail", "Log Tail", "Watches logs and tells you.", [tail], { problem: drift }),
  extensionView("loca-extension-textcleaner", "Text Cleaner", "Removes double spaces and odd line breaks, and saves a clean copy.", [cleanText]),
  extensionView("loca-extension-wordcount", "Word Count", "Count the words and characters in a piece of text.", [wordCount]),
];

export const review: Review = {
  source: "/home/ana/Code/text-cleaner",
  extension: { id: "loca-extension-textcleaner", format: "loca", displayName: "Text Cleaner", description: "Removes double spaces and odd line breaks, and saves a clean copy.", version: "2.3.1", license: "MIT", tools: [cleanText.tool] },
  toolViews: [
    { ...cleanText, enabled: false, permissions: (cleanText.permissions ?? []).map((one) => ({ ...one, decision: "ask" as const })) },
    toolView("loca-extension-textcleaner", "Text Cleaner", { name: "count_spaces", description: "Counts how many spaces would go.", effect: "reads" }),
  ],
  files: 9, bytes: 41_020, fingerprint: "8617dfd7", containment,
};

export const broken: Problem = {
  code: "loca.broken-rules", what: "Its loca.json breaks 3 rules.", where: "/home/ana/Code/broken/loca.json", next: "Correct what is listed and add it again.",
  issues: [{ place: "tools[0].name", what: "is missing" }, { place: "tools[2].permissions.net[0].ports", what: "must be ports from 1 to 65535, or \"*\"" }, { place: "displayName", what: "must have at least 1 character" }], params: { count: "3" },
};

const checks: (Check & { required: boolean })[] = [
  { name: "deno", ok: true, required: true, detail: "deno 2.9.6, /opt/portico/deno" }, { name: "confinement", ok: true, required: false, detail: "full: Landlock ABI 7, seccomp" },
  { name: "webview", ok: true, required: false, detail: "WebKitGTK 2.50" }, { name: "keyring", ok: false, required: false, detail: "no keyring answers on the session bus", next: "Start a keyring daemon to keep keys there." },
  { name: "node", ok: true, required: false, detail: "v20.19.2, /usr/bin/node" }, { name: "python3", ok: true, required: false, detail: "Python 3.11.2, /usr/bin/python3" }, { name: "git", ok: false, required: false, detail: "not found on the PATH", next: "Large repositories install faster with it." },
];
const files: File[] = [{ path: "loca.json", bytes: 1240 }, { path: "index.js", bytes: 5310 }, { path: "README.md", bytes: 820 }, { path: "lib/a-folder-with-a-long-name/another/words-and-characters.js", bytes: 22_000 }];
const found: Found[] = [{ name: "Ollama", baseURL: "http://127.0.0.1:11434/v1", models: ["qwen3:8b", "llama3.2"] }];
const session = (id: string, title: string): Session => ({ id, title, mode: "guided", createdAt: 1_796_000_000_000, updatedAt: 1_796_000_000_000, scroll: {}, running: false, waiting: false });

export const vault: VaultStatus = {
  state: "ready", hasPassphrase: false, damaged: [],
  names: [
    { name: "model:https://openrouter.ai/api/v1", kind: "model", label: "openrouter.ai", bytes: 73 },
    { name: "setting:loca:loca-extension-jokebook:JOKES_API_KEY", kind: "setting", label: "JOKES_API_KEY", bytes: 40, usedBy: "Jokebook" },
    { name: "House alarm", kind: "own", label: "House alarm", bytes: 6 },
  ],
};
const vaultWords = (code: string, what: string, next: string): Problem => ({ code, what, next, detail: "org.freedesktop.DBus.Error.ServiceUnknown" });
export const vaultClosed = (state: VaultState, names = vault.names): VaultStatus => ({ ...vault, state, hasPassphrase: state === "passphrase", names, words: state === "broken" ? vaultWords("vault.no-key", "The system's keyring has no key for this vault any more.", "Open the keyring that has it, or start a new vault in Settings › Vault; the files of this one are kept.") : vaultWords(`vault.${state}`, "It is closed.", "Look.") });

const memory = (id: string, title: string, summary: string, more: Partial<MemoryItem> = {}): MemoryItem => ({ id, title, kind: "knowledge", summary, owner: "", readOnly: false, enabled: true, updatedAtMs: Date.now() - 7_200_000, bytes: 1240, ...more });
export const memoryItems: MemoryItem[] = [
  memory("knowledge/Car.md", "Car", "A grey estate of 2014; the next inspection is due in May."),
  memory("knowledge/Car%2Fgarage.md", "Car/garage", "Opening hours, and whom to ask for.", { enabled: false }),
  memory("skills/weekly-letter", "weekly-letter", "Writes the letter to the family from the week's notes.", { kind: "skill", bytes: 3310 }),
  memory("knowledge/scan.md", "scan", "", { problem: { code: "memory.not-text", what: "scan.md is no text in UTF-8.", next: "Save it as UTF-8, or move it out of the memories' folder.", params: { file: "scan.md" } } }),
  memory("agent:loca::loca-extension-jokebook/skills/rank-jokes", "rank-jokes", "Ranks pirate jokes by how loud the crew laughs.", { kind: "skill", owner: "Jokebook", readOnly: true }),
];
export const memoryTexts: Record<string, string> = {
  "knowledge/Car.md": "# Car\n\nA grey estate of 2014; the next inspection is due in **May**.\n\n- Tyres: 205/55 R16, winter ones in the cellar\n- Oil: 5W-30\n\n| Year | km |\n| --- | --- |\n| 2024 | 118,400 |\n| 2025 | 131,050 |\n",
  "knowledge/Car%2Fgarage.md": "Open Monday to Friday, 8 to 17.\n",
  "skills/weekly-letter": "---\nname: weekly-letter\ndescription: Writes the letter to the family from the week's notes.\n---\n\n1. Read the notes of the week.\n2. Write in the first person, warm, one page.\n3. Show it before it is saved.\n",
  "agent:loca::loca-extension-jokebook/skills/rank-jokes": "---\nname: rank-jokes\ndescription: Ranks jokes.\n---\n\n## Ranking\n\nRead `references/crew.md` first.\n",
};

export const voice: VoiceStatus = {
  speak: { on: false, engine: "", voice: "", rate: 1, endpoint: "", model: "" }, listen: { on: false, engine: "", endpoint: "", model: "", program: "", arguments: "" },
  found: [{ engine: "espeak-ng", name: "espeak-ng 1.51", ready: true, bytes: 0, license: "", voices: [{ id: "en-gb", name: "English (Great Britain)", language: "en-GB" }, { id: "es", name: "Spanish (Spain)", language: "es" }] }],
};
export const voiceFetchable = { engine: "espeak-ng-js", name: "espeak-ng 1.0.2 (WebAssembly)", ready: false, bytes: 9_300_000, license: "GPL-3.0-or-later", voices: [] };

const hour = 3_600_000;
const run = (id: number, state: ScheduleRun["state"], ago: number, more: Partial<ScheduleRun> = {}): ScheduleRun => ({ id, schedule: "sch1", cause: "onTime", state, dueAt: Date.now() - ago, startedAt: Date.now() - ago, endedAt: Date.now() - ago + 12_400, session: "s1", ...more });
const scheduled = (id: string, title: string, draft: Schedule["draft"]["schedule"], more: Partial<Schedule> = {}): Schedule => ({ id, draft: { title, instruction: `Do this: ${title}.`, runMissed: true, schedule: draft }, paused: false, nextAt: Date.now() + 20 * hour, createdAt: 0, updatedAt: 0, ...more });
export const schedules: Schedule[] = [
  scheduled("sch1", "Morning summary", { kind: "weekly", weekdays: [1, 2, 3, 4, 5], hour: 8, minute: 30 }, { last: run(3, "finished", 4 * hour) }),
  scheduled("sch2", "Rent", { kind: "monthly", day: 31, hour: 9, minute: 0 }, { extension: "Household", owner: "agent:loca::household", last: run(1, "failed", 50 * hour, { problem: { code: "schedule.no-model", what: "No model is set up, so there was nothing to send it to.", next: "Choose one in Settings › Models." } }) }),
  scheduled("sch3", "Water the plants", { kind: "interval", everyMinutes: 2880 }, { paused: true }),
  scheduled("sch4", "Anniversary", { kind: "once", atMs: Date.UTC(2026, 4, 2, 9) }, { nextAt: 0, last: run(9, "missed", 60 * hour, { session: undefined }) }),
];
export const runs: ScheduleRun[] = [run(3, "finished", 4 * hour), run(2, "interrupted", 28 * hour), run(1, "failed", 52 * hour, { cause: "madeUp", missed: 2, problem: { code: "schedule.no-model", what: "No model is set up, so there was nothing to send it to.", next: "Choose one in Settings › Models." } })];

export interface State {
  schedules: Schedule[];
  runs: ScheduleRun[];
  voice: VoiceStatus;
  /** How fetching a voice ends. */
  fetch: Problem | "done" | "never";
  memories: MemoryList;
  memoryTexts: Record<string, string>;
  vault: VaultStatus;
  settings: Settings;
  info: About;
  extensions: ExtensionView[];
  model: ModelChoice;
  found: Found[];
  sessions: Session[];
  review: Review | Problem;
  /** What an install ends in, and how slowly: never, when it is to be looked at. */
  install: Problem | "done" | "never";
  log: string;
  layout: unknown;
}

export const stateOf = (change: Partial<State> = {}): State => ({
  schedules, runs, voice, fetch: "done", memories: { items: memoryItems, folder: "/home/ana/.local/share/portico/memories", watching: true }, memoryTexts, vault, settings, info, extensions, model: { baseURL: "", model: "" }, found, sessions: [session("s1", "Word counts for the essay"), session("s2", "Lunch and calories")], review, install: "done", log: "09:30:02 info counted 3112 words\n", layout: null, ...change,
});

type Answers = { [M in keyof Methods]?: (request: Methods[M]["request"]) => Methods[M]["answer"] | Promise<Methods[M]["answer"]> };

/** Every call is remembered, so that a test can say what was asked of the core. */
export function scripted(change: Partial<State> = {}, own: Answers = {}): Carrier & { state: State; calls: { method: keyof Methods; request: unknown }[]; tell(...events: HostEvent[]): void } {
  const state = stateOf(change);
  const handlers = new Set<(events: HostEvent[]) => void>();
  const calls: { method: keyof Methods; request: unknown }[] = [];
  const tell = (...events: HostEvent[]) => handlers.forEach((handler) => handler(events));
  const hasKey = (baseURL: string) => (state.vault.names ?? []).some((one) => one.name === `model:${baseURL}`);
  const same = (view: ExtensionView, id: string) => view.extension.id === id;
  let cancel = () => {};
  let removed: MemoryItem | undefined;
  const answers: Answers = {
    "settings.get": () => state.settings, "settings.save": (next) => (state.settings = next), "settings.layout": () => ({ layout: state.layout }), "settings.saveLayout": () => ({}),
    "system.about": () => state.info, "system.doctor": () => checks, "system.ready": () => ({}), "system.openLink": () => ({}), "system.chooseFolder": () => ({ path: "/home/ana/Code/text-cleaner" }),
    "sessions.list": () => state.sessions, "sessions.create": () => session("s3", ""), "sessions.delete": () => ({}), "sessions.open": ({ id }) => ({ session: session(id, "Word counts for the essay"), entries: [] }), "sessions.saveView": () => ({}), "chat.run": () => ({ turn: "t1" }),
    "extensions.list": () => state.extensions, "tools.list": () => state.extensions.filter((view) => view.enabled && !view.problem).flatMap((view) => view.toolViews ?? []),
    "extensions.setEnabled": ({ ref, enabled }) => {
      state.extensions = state.extensions.map((view) => (same(view, ref.id) ? { ...view, enabled } : view));
      return state.extensions.find((view) => same(view, ref.id))!;
    },
    "tools.setEnabled": ({ ref, tool, enabled }) => {
      const change = (view: ToolView) => (view.ref.id === ref.id && view.tool.name === tool ? { ...view, enabled } : view);
      state.extensions = state.extensions.map((view) => ({ ...view, toolViews: (view.toolViews ?? []).map(change) }));
      return state.extensions.flatMap((view) => view.toolViews ?? []).find((view) => view.ref.id === ref.id && view.tool.name === tool)!;
    },
    "extensions.setGrant": ({ ref, tool, key, decision }) => {
      state.extensions = state.extensions.map((view) =>
        same(view, ref.id) ? { ...view, toolViews: (view.toolViews ?? []).map((one) => (one.tool.name === tool ? { ...one, permissions: (one.permissions ?? []).map((p) => (p.key === key ? { ...p, decision } : p)) } : one)) } : view);
      return state.extensions.find((view) => same(view, ref.id))!;
    },
    "extensions.remove": ({ ref }) => {
      state.extensions = state.extensions.filter((view) => !same(view, ref.id));
      return {};
    },
    "extensions.review": () => {
      if ("code" in state.review) throw new ProblemError(state.review);
      return state.review;
    },
    "extensions.install": ({ job }) =>
      new Promise((resolve, reject) => {
        cancel = () => reject(new ProblemError({ code: "install.cancelled", what: "The install was cancelled." }));
        tell({ topic: "install", payload: { job, step: "copy", fraction: 0.62, detail: "lib/spaces.js" } });
        if (state.install === "never") return;
        if (state.install === "done") resolve(state.extensions.find((view) => same(view, "loca-extension-textcleaner"))!);
        else reject(new ProblemError(state.install));
      }),
    "extensions.cancelInstall": () => {
      cancel();
      return {};
    },
    "extensions.files": () => files, "extensions.readFile": ({ path }) => ({ text: path.endsWith(".json") ? JSON.stringify({ name: "loca-extension-textcleaner", displayName: "Text Cleaner", tools: [{ name: "clean_text", function: "cleanText" }] }, null, 2) : `// ${path}\nexport function cleanText() {}\n`, truncated: false, binary: false }),
    "extensions.log": () => ({ text: state.log, truncated: false, binary: false }), "extensions.openFolder": () => ({}),
    "models.get": () => ({ ...state.model, hasKey: hasKey(state.model.baseURL) }), "models.save": (next) => ({ ...(state.model = next), hasKey: hasKey(next.baseURL) }), "models.discover": () => state.found, "models.list": ({ baseURL }) => {
      const server = state.found.find((one) => one.baseURL === baseURL);
      if (!server) throw new ProblemError({ code: "model.unreachable", what: `No model server answers at ${baseURL}.`, next: "Check the address, and that the server runs.", detail: "dial tcp 127.0.0.1:9: connect: connection refused", params: { address: baseURL } });
      return server.models ?? [];
    },
    "models.setKey": ({ baseURL, key }) => {
      state.vault = { ...state.vault, names: [...(state.vault.names ?? []).filter((one) => one.name !== `model:${baseURL}`), { name: `model:${baseURL}`, kind: "model", label: new URL(baseURL).host, bytes: key.length }] };
      return { hasKey: true };
    },
    "models.clearKey": ({ baseURL }) => {
      state.vault = { ...state.vault, names: (state.vault.names ?? []).filter((one) => one.name !== `model:${baseURL}`) };
      return { hasKey: false };
    },
    "vault.status": () => state.vault, "vault.reveal": ({ name }) => ({ value: `value of ${name}` }), "vault.set": () => ({}), "vault.retry": () => ({}),
    "vault.remove": ({ name }) => {
      state.vault = { ...state.vault, names: (state.vault.names ?? []).filter((one) => one.name !== name) };
      return {};
    },
    "vault.unlock": ({ passphrase }) => {
      if (passphrase !== "correct horse") throw new ProblemError({ code: "vault.wrong-passphrase", what: "That is not the vault's passphrase.", next: "Try again. Without the passphrase nobody can read it, and you can only start a new vault." });
      state.vault = { ...vault, hasPassphrase: true };
      return {};
    },
    "vault.setPassphrase": () => {
      state.vault = { ...state.vault, state: "ready", words: undefined, hasPassphrase: true };
      return {};
    },
    "vault.useKeyring": () => {
      state.vault = { ...state.vault, hasPassphrase: false };
      return {};
    },
    "vault.startAnew": ({ passphrase }) => {
      state.vault = { ...vault, names: [], hasPassphrase: passphrase !== "" };
      return { kept: "/home/ana/.local/share/portico/vault/vault-8617dfd7c2a94b1e.json" };
    },
    "memories.list": () => state.memories, "memories.openFolder": () => ({}), "memories.file": ({ name }) => ({ content: `# ${name}\n` }),
    "memories.get": ({ id }) => {
      const item = (state.memories.items ?? []).find((one) => one.id === id);
      const content = state.memoryTexts[id];
      if (!item || content === undefined) throw new ProblemError(item?.problem ?? { code: "memory.missing", what: `There is no memory ${id}.`, params: { title: id } });
      return { id, title: item.title, kind: item.kind, content, readOnly: item.readOnly, files: item.kind === "skill" && item.readOnly ? [{ name: "references/crew.md", bytes: 820 }] : [] };
    },
    "memories.save": ({ id, title, kind, content, before }) => {
      if (id && before !== state.memoryTexts[id]) throw new ProblemError({ code: "memory.changed", what: `${title} was changed elsewhere in the meantime. Nothing was overwritten.`, params: { title } });
      const item = memory(kind === "skill" ? `skills/${title}` : `knowledge/${title}.md`, title, content.split("\n")[0] ?? "", { kind, bytes: content.length });
      state.memories = { ...state.memories, items: [...(state.memories.items ?? []).filter((one) => one.id !== id), item] };
      if (id) state.memoryTexts = Object.fromEntries(Object.entries(state.memoryTexts).filter(([other]) => other !== id));
      state.memoryTexts = { ...state.memoryTexts, [item.id]: content };
      return item;
    },
    "memories.setEnabled": ({ id, enabled }) => {
      state.memories = { ...state.memories, items: (state.memories.items ?? []).map((one) => (one.id === id ? { ...one, enabled } : one)) };
      return (state.memories.items ?? []).find((one) => one.id === id)!;
    },
    "memories.remove": ({ id }) => {
      removed = (state.memories.items ?? []).find((one) => one.id === id);
      state.memories = { ...state.memories, items: (state.memories.items ?? []).filter((one) => one.id !== id) };
      return { undo: "1-A" };
    },
    "memories.restore": () => {
      state.memories = { ...state.memories, items: [...(state.memories.items ?? []), removed!] };
      return removed!;
    },
    "voice.get": () => state.voice, "voice.save": (next) => (state.voice = { ...state.voice, ...next }), "voice.transcribe": () => ({ text: "go forward ten meters" }),
    "voice.speak": () => ({ dataB64: "UklGRg==", mime: "audio/wav", sampleRate: 22050 }),
    "voice.fetch": ({ job }) =>
      new Promise((resolve, reject) => {
        cancel = () => reject(new ProblemError({ code: "install.cancelled", what: "It was cancelled." }));
        tell({ topic: "install", payload: { job, step: "fetch", fraction: 0.4 } });
        if (state.fetch === "never") return;
        if (state.fetch !== "done") return reject(new ProblemError(state.fetch));
        state.voice = { ...state.voice, found: [{ ...voiceFetchable, ready: true, bytes: 0, voices: voice.found![0]!.voices }] };
        resolve(state.voice);
      }),
    "voice.removeFetched": () => (state.voice = { ...state.voice, found: [voiceFetchable] }),
    "schedules.list": () => state.schedules, "schedules.history": () => state.runs, "schedules.preview": ({ draft, most = 5 }) => {
      if (draft.schedule.kind === "once" && (draft.schedule.atMs ?? 0) < Date.now()) throw new ProblemError({ code: "schedule.past", what: "That moment has passed.", next: "Choose a later one." });
      return Array.from({ length: draft.schedule.kind === "once" ? 1 : most }, (_, n) => Date.now() + (n + 1) * 24 * hour);
    },
    "schedules.save": ({ id = "sch9", draft }) => {
      const made = { ...scheduled(id, draft.title, draft.schedule), draft };
      state.schedules = [...state.schedules.filter((one) => one.id !== id), made];
      return made;
    },
    "schedules.pause": ({ id, paused }) => {
      state.schedules = state.schedules.map((one) => (one.id === id ? { ...one, paused } : one));
      return state.schedules.find((one) => one.id === id)!;
    },
    "schedules.runNow": ({ id }) => ({ ...run(10, "finished", 0), schedule: id, cause: "byPerson" }),
    "schedules.remove": ({ id }) => {
      state.schedules = state.schedules.filter((one) => one.id !== id);
      return {};
    },
    "schedules.restore": ({ id }) => {
      const back = schedules.find((one) => one.id === id)!;
      state.schedules = [...state.schedules, back];
      return back;
    },
    "schedules.review": () => ({}),
    ...own,
  };
  return {
    state, calls, tell,
    async call<M extends keyof Methods>(method: M, request: Methods[M]["request"]): Promise<Methods[M]["answer"]> {
      calls.push({ method, request });
      const answer = answers[method] as ((request: Methods[M]["request"]) => Methods[M]["answer"] | Promise<Methods[M]["answer"]>) | undefined;
      if (!answer) throw new ProblemError({ code: "app.no-method", what: `The scripted core has no ${method}.`, params: { method } });
      return structuredClone(await answer(request));
    },
    listen(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
  };
}
