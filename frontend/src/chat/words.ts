import { useTranslation } from "react-i18next";
import type { CallEntry, Entry, Permission, Tool, ToolView } from "../host";
import { useTools } from "../host/queries";
import { tally, type CallBlock } from "./blocks";

/** What a tool calls its own doing in a language, if it says. */
function phraseOf(tool: Tool | undefined, language: string): [string, string] | undefined {
  const labels = tool?.labels;
  const label = labels?.[language] ?? labels?.[language.split("-")[0] ?? ""] ?? labels?.en;
  const [one, many] = label?.phrase ?? [];
  return one ? [one, many || one] : undefined;
}

const toolOf = (tools: readonly ToolView[] | undefined, address: string): Tool | undefined => tools?.find((view) => view.address === address)?.tool;

/** The words for calls: a tool's own where it gives them, else its title. */
export function useCallWords() {
  const { t, i18n } = useTranslation("chat");
  const tools = useTools().data;
  const language = i18n.language;
  return {
    one: (call: CallEntry): string => (call.durationMs !== undefined && phraseOf(toolOf(tools, call.address), language)?.[0]) || call.title || call.name,
    many: (calls: readonly CallBlock[]): string => {
      const address = new Map(calls.map(({ entry }) => [entry.call?.title || entry.call?.name || "", entry.call?.address ?? ""]));
      const parts = tally(calls).map(({ title, times }) => {
        const phrase = phraseOf(toolOf(tools, address.get(title) ?? ""), language);
        if (phrase) return times === 1 ? phrase[0] : phrase[1].replace("{n}", String(times));
        return t("fold.ran", { title, count: times });
      });
      return parts.join(", ");
    },
  };
}

/** Folders that manifests name by a template. */
const places = ["downloads", "home", "models", "sessions", "extension"] as const;

/** What a permission is about, as the end of "X wants to …". */
export function usePermissionWords() {
  const { t } = useTranslation("chat");
  const place = (path: string): string => {
    const [first = "", ...rest] = path.split(/[\\/]/);
    const known = places.find((name) => first === `$${name}`);
    if (!known) return path;
    const folder = t(`place.${known}`);
    return rest.length > 0 ? t("place.within", { path: rest.join("/"), folder }) : folder;
  };
  return (p: Permission): string => {
    switch (p.kind) {
      case "net": {
        const ports = p.ports ?? [];
        if (!p.host || p.host === "*") return t("wants.netAny");
        if (ports.length === 0 || ports.includes("*")) return t("wants.net", { host: p.host });
        return t("wants.netPorts", { host: p.host, ports: ports.join(", "), count: ports.length });
      }
      case "read":
        return t("wants.read", { place: place(p.path ?? "") });
      case "write":
        return t("wants.write", { place: place(p.path ?? "") });
      case "run":
        return p.binary && p.binary !== "*" ? t("wants.run", { binary: p.binary }) : t("wants.runAny");
      case "env":
        return t("wants.env", { name: p.envKey });
      case "ffi":
        return t("wants.ffi");
      case "sys":
        return t("wants.sys", { flag: p.flag ?? "" });
      case "memories":
        return t(p.access === "write" ? "wants.memoriesWrite" : "wants.memoriesRead");
      case "llm":
      case "tts":
      case "stt":
        return t(`wants.${p.kind}`);
    }
  };
}

/** The short form under the reason: "clean_text → write ~/Downloads". */
export function accessLine(address: string, p: Permission, resolved: string | undefined, home: string): string {
  const tool = address.slice(address.lastIndexOf("/") + 1);
  const at = resolved ? (home && (resolved === home || resolved.startsWith(`${home}/`) || resolved.startsWith(`${home}\\`)) ? `~${resolved.slice(home.length)}` : resolved) : undefined;
  const what = at ?? p.path ?? p.binary ?? p.envKey ?? p.flag ?? p.access ?? [p.host, p.ports?.join(",")].filter(Boolean).join(":");
  return `${tool} → ${p.kind}${what ? ` ${what}` : ""}`;
}

/** The few words with which an entry is announced to who does not see it; undefined: nothing to say. */
export function useAnnounced() {
  const { t } = useTranslation("chat");
  const wants = usePermissionWords();
  return (entry: Entry): string | undefined => {
    if (entry.kind === "agent" && entry.state !== "running") return entry.text;
    if (entry.kind === "question" && entry.state === "open") return t("announce.question", { question: entry.question?.questions?.[0]?.question ?? "" });
    if (entry.kind === "permission" && entry.state === "open" && entry.permission) return t("permission.title", { extension: entry.permission.extension, wants: wants(entry.permission.permission) });
    if (entry.kind === "schedule" && entry.state === "open" && entry.schedule) return t("announce.schedule", { extension: entry.schedule.extension, title: entry.schedule.draft.title });
    if (entry.kind === "call" && entry.state === "failed") return t("announce.failed", { title: entry.call?.title ?? "" });
    if (entry.kind === "call" && entry.state === "done") return t("announce.done", { title: entry.call?.title ?? "" });
    if (entry.kind === "problem") return entry.problem?.what;
    if (entry.kind === "matches") return t("matches.of", { count: entry.matches?.of ?? 0 });
    return undefined;
  };
}
