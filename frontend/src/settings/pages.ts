import { AudioLines, Blocks, BookOpen, CalendarClock, Info, KeyRound, Keyboard, MessageSquareCode, Paintbrush, ShieldCheck, SlidersHorizontal, Wrench, type LucideIcon } from "lucide-react";

export const pages = ["general", "appearance", "models", "extensions", "tools", "memories", "schedules", "vault", "voice", "shortcuts", "privacy", "about"] as const;
export type Page = (typeof pages)[number];

export const pageIcons: Record<Page, LucideIcon> = {
  general: SlidersHorizontal, appearance: Paintbrush, models: MessageSquareCode, extensions: Blocks, tools: Wrench, memories: BookOpen, schedules: CalendarClock, vault: KeyRound, voice: AudioLines, shortcuts: Keyboard, privacy: ShieldCheck, about: Info,
};

/** Where in the settings: a page, and on that of the extensions one of them. Written "extensions/<key>". */
export interface Place {
  page: Page;
  key?: string;
}

export function placeOf(text: string): Place {
  const cut = text.indexOf("/");
  const name = cut < 0 ? text : text.slice(0, cut);
  const page = pages.find((known) => known === name) ?? "extensions";
  return cut < 0 || page !== name ? { page } : { page, key: text.slice(cut + 1) };
}

/** Every setting by the key of its name, with its page: what the search looks through. */
export const settings = [
  { page: "general", name: "general.language", note: "general.languageNote" },
  { page: "general", name: "general.steps", note: "general.stepsNote" },
  { page: "appearance", name: "appearance.theme", note: "appearance.themeNote" },
  { page: "appearance", name: "appearance.zoom", note: "appearance.zoomNote" },
  { page: "models", name: "models.direct", note: "models.directNote" },
  { page: "models", name: "models.here", note: "models.noneHereNote" },
  { page: "models", name: "models.address", note: "models.otherNote" },
  { page: "models", name: "models.model", note: "models.modelHint" },
  { page: "models", name: "models.key", note: "models.keyHint" },
  { page: "extensions", name: "extensions.folderTitle", note: "extensions.folderNote" },
  { page: "extensions", name: "extensions.touch", note: "extensions.noneNote" },
  { page: "tools", name: "tools.search", note: "tools.intro" },
  { page: "memories", name: "memories.search", note: "memories.noneNote" },
  { page: "schedules", name: "schedules.coming", note: "schedules.intro" },
  { page: "vault", name: "vault.keeper", note: "vault.phrase" },
  { page: "vault", name: "vault.contents", note: "vault.noneNote" },
  { page: "voice", name: "voice.speak", note: "voice.speakOnNote" },
  { page: "voice", name: "voice.here", note: "voice.noneNote" },
  { page: "voice", name: "voice.listen", note: "voice.listenOnNote" },
  { page: "privacy", name: "privacy.stays", note: "privacy.chatsNote" },
  { page: "privacy", name: "privacy.leaves", note: "privacy.toolsNote" },
  { page: "privacy", name: "privacy.data", note: "privacy.logsNote" },
  { page: "privacy", name: "privacy.logs", note: "privacy.logsNote" },
  { page: "about", name: "about.containment", note: "about.line" },
  { page: "about", name: "about.checks", note: "about.computer" },
] as const satisfies readonly { page: Page; name: string; note: string }[];

/** Lets "telefono" find "Teléfono". */
export const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Whether every word of the search is in one of the texts. */
export function found(search: string, ...texts: (string | undefined)[]): boolean {
  const hay = plain(texts.filter(Boolean).join(" "));
  return plain(search).split(/\s+/).every((word) => hay.includes(word));
}
