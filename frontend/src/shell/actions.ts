import type { LucideIcon } from "lucide-react";
import { Columns2, Info, MessageSquarePlus, PanelLeft, RotateCcw, Search, Settings2, X, ZoomIn, ZoomOut } from "lucide-react";
import { call } from "../host";
import { client, keys } from "../host/queries";
import type { Settings } from "../host";
import { maxGroups } from "../store/layout";
import { useTabs } from "../store/tabs";
import { useView } from "../store/view";

/** Something the person can do, wherever it is offered: shortcut, native menu and palette all read the same. */
export interface Action {
  id: string;
  /** Key in the i18n namespace "shell". */
  label: string;
  icon?: LucideIcon;
  /** "Mod" is Command on macOS and Control elsewhere. */
  shortcut?: string;
  when?(): boolean;
  perform(): void;
}

const zoomStep = 10;

async function zoomTo(change: (now: number) => number): Promise<void> {
  const settings = client.getQueryData<Settings>(keys.settings) ?? (await call("settings.get", {}));
  const zoom = Math.min(200, Math.max(100, change(settings.zoom)));
  if (zoom !== settings.zoom) client.setQueryData(keys.settings, await call("settings.save", { ...settings, zoom }));
}

const all: Action[] = [
  { id: "session.new", label: "action.newChat", icon: MessageSquarePlus, shortcut: "Mod+N", perform: () => useTabs.getState().open({ kind: "session" }) },
  { id: "palette.open", label: "action.palette", icon: Search, shortcut: "Mod+K", perform: () => useView.getState().setPalette(true) },
  { id: "settings.open", label: "action.settings", icon: Settings2, shortcut: "Mod+,", perform: () => useTabs.getState().open({ kind: "settings" }) },
  {
    id: "tab.close", label: "action.closeTab", icon: X, shortcut: "Mod+W", when: () => useTabs.getState().active !== null,
    perform: () => {
      const { active, close } = useTabs.getState();
      if (active) close(active);
    },
  },
  { id: "tab.reopen", label: "action.reopenTab", icon: RotateCcw, shortcut: "Mod+Shift+T", when: () => useTabs.getState().closed.length > 0, perform: () => useTabs.getState().reopen() },
  { id: "tab.next", label: "action.nextTab", shortcut: "Ctrl+Tab", perform: () => useTabs.getState().step(1) },
  { id: "tab.previous", label: "action.previousTab", shortcut: "Ctrl+Shift+Tab", perform: () => useTabs.getState().step(-1) },
  {
    id: "tab.split", label: "action.split", icon: Columns2, shortcut: "Mod+\\", when: () => useTabs.getState().active !== null && useTabs.getState().groups.length < maxGroups,
    perform: () => {
      const { active, split } = useTabs.getState();
      if (active) split(active);
    },
  },
  { id: "sidebar.toggle", label: "action.sidebar", icon: PanelLeft, shortcut: "Mod+B", perform: () => useView.getState().toggleSidebar() },
  { id: "view.zoomIn", label: "action.zoomIn", icon: ZoomIn, shortcut: "Mod+=", perform: () => void zoomTo((now) => now + zoomStep) },
  { id: "view.zoomOut", label: "action.zoomOut", icon: ZoomOut, shortcut: "Mod+-", perform: () => void zoomTo((now) => now - zoomStep) },
  { id: "view.zoomReset", label: "action.zoomReset", shortcut: "Mod+0", perform: () => void zoomTo(() => 100) },
  { id: "help.about", label: "action.about", icon: Info, perform: () => useTabs.getState().open({ kind: "settings", page: "about" }) },
];

export const actions = (): Action[] => all;

export function perform(id: string): void {
  const action = all.find((other) => other.id === id);
  if (action && (action.when?.() ?? true)) action.perform();
}

export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** Whether a key press is the shortcut. */
export function matches(shortcut: string, event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">, mac: boolean): boolean {
  const parts = shortcut.split("+");
  const key = parts.at(-1) ?? "";
  const mod = parts.includes("Mod");
  const ctrl = parts.includes("Ctrl") || (mod && !mac);
  const shift = parts.includes("Shift");
  const pressed = event.key === "+" && key === "=" ? "=" : event.key;
  const ignoreShift = key === "=" && event.key === "+"; // "+" is a shifted "=" on most keyboards
  return pressed.toLowerCase() === key.toLowerCase() && event.ctrlKey === ctrl && event.metaKey === (mod && mac) && !event.altKey && (ignoreShift || event.shiftKey === shift);
}
