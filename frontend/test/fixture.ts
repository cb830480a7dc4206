/** The window over a scripted core, in a state that the address names: "?page=tools&theme=dark&state=empty". */
import { useCarrier } from "../src/host";
import { broken, extensions, scripted, settings, vault, vaultClosed, voice, voiceFetchable, type State } from "./fixtures";

const wanted = new URLSearchParams(location.search);
const states: Record<string, Partial<State>> = {
  empty: { extensions: [], found: [], sessions: [] },
  broken: { review: broken },
  installing: { install: "never" },
  failing: { install: { code: "install.disk-full", what: "There is no room left on the disk.", next: "Make room and try again; nothing was installed.", detail: "write lib/spaces.js: no space left on device" } },
  model: { model: { baseURL: "http://127.0.0.1:11434/v1", model: "qwen3:8b" } },
  nomemories: { memories: { items: [], folder: "/home/ana/memories", watching: true } },
  speaks: { voice: { ...voice, speak: { ...voice.speak, on: true }, listen: { ...voice.listen, on: true, engine: "program", program: "pocketsphinx", arguments: "single {file}" } } },
  server: { voice: { ...voice, speak: { ...voice.speak, on: true, engine: "endpoint", endpoint: "https://api.example.com/v1", model: "tts-1", voice: "alloy" }, listen: { ...voice.listen, on: true, engine: "endpoint", endpoint: "https://api.example.com/v1", model: "whisper-1" } } },
  mute: { voice: { ...voice, found: [voiceFetchable] }, fetch: "never" }, mutefails: { voice: { ...voice, found: [voiceFetchable] }, fetch: { code: "voice.bad-package", what: "What was fetched is not the voice that it should be.", next: "Try again." } },
  noschedules: { schedules: [] }, nohistory: { runs: [] },
  phrase: { vault: { ...vault, hasPassphrase: true } },
  closed: { vault: vaultClosed("passphrase") }, locked: { vault: vaultClosed("locked") }, slow: { vault: vaultClosed("slow") }, nokeyring: { vault: vaultClosed("missing", []) }, lostkeyring: { vault: vaultClosed("missing") },
  nokey: { vault: { ...vaultClosed("broken"), damaged: ["items/8617dfd7c2a94b1e.age"] } }, bare: { vault: { ...vault, names: [] } },
  remote: { model: { baseURL: "https://openrouter.ai/api/v1", model: "qwen/qwen3-8b" }, found: [{ name: "OpenRouter", baseURL: "https://openrouter.ai/api/v1", models: ["qwen/qwen3-8b"] }] },
  away: { model: { baseURL: "http://127.0.0.1:9/v1", model: "gone" }, found: [] },
};
const page = wanted.get("page") ?? "extensions";
const carrier = scripted({
  ...states[wanted.get("state") ?? ""],
  settings: { ...settings, theme: wanted.get("theme") ?? "light", language: wanted.get("language") ?? "en", zoom: Number(wanted.get("zoom") ?? 100) },
  layout: { tabs: [{ id: "tab-1", kind: "settings", page }], active: "tab-1" },
});
if (wanted.get("state") === "second") carrier.state.extensions = extensions.slice(0, 1);
useCarrier(carrier);
Object.assign(window, { carrier });
await import("../src/main");
