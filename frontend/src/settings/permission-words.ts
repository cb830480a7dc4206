import { Box, Cpu, Database, File, FilePen, Globe, Mic, Play, Sparkles, Volume2, Waypoints, type LucideIcon } from "lucide-react";
import type { TFunction } from "i18next";
import type { Kind, Permission, Risk } from "../host";
import type { Tone } from "../kit";

export const permissionIcons: Record<Kind, LucideIcon> = { net: Globe, read: File, write: FilePen, run: Play, env: Waypoints, ffi: Cpu, sys: Box, memories: Database, llm: Sparkles, tts: Volume2, stt: Mic };

const places = ["home", "downloads", "models", "sessions", "extension"] as const;

/** A path as a person says it: "$downloads" is "your Downloads", what lies below it is named after it. */
export function placeName(path: string, t: TFunction<"settings">): string {
  const [first = "", ...rest] = path.split("/");
  const template = places.find((name) => first === `$${name}`);
  if (!template) return path;
  const base = t(`permission.place.${template}`);
  return rest.length === 0 ? base : `${base}/${rest.join("/")}`;
}

/** What a permission lets a tool do, in words; code is the part that is a name and not a word. */
export function permissionWords(permission: Permission, t: TFunction<"settings">): { text: string; code?: string } {
  const { kind, host = "", ports = [], path = "", binary = "", envKey = "", flag = "", access } = permission;
  switch (kind) {
    case "net": {
      const what = host === "*" ? t("permission.netAny") : t("permission.net", { name: host });
      if (ports.includes("*")) return { text: t("permission.withPorts", { what, ports: t("permission.portAny") }) };
      if (ports.length === 0) return { text: what };
      return { text: t("permission.withPorts", { what, ports: t(ports.length === 1 ? "permission.port" : "permission.ports", { ports: ports.join(", ") }) }) };
    }
    case "read":
      return { text: t("permission.read", { name: placeName(path, t) }) };
    case "write":
      return { text: t("permission.write", { name: placeName(path, t) }) };
    case "run":
      return { text: t("permission.run", { name: binary }), code: binary };
    case "env":
      return { text: t("permission.env", { name: envKey }), code: envKey };
    case "sys":
      return { text: t("permission.sys", { name: flag }), code: flag };
    case "memories":
      return { text: t(access === "write" ? "permission.memoriesWrite" : "permission.memoriesRead") };
    case "ffi":
    case "llm":
    case "tts":
    case "stt":
      return { text: t(`permission.${kind}`) };
  }
}

export const riskTone = (risk: Risk): Tone => (risk.level === "high" ? "bad" : risk.level === "medium" ? "warn" : risk.level === "none" ? "good" : "plain");
