import { create } from "zustand";

export interface Tab {
  id: string;
  kind: "session" | "settings";
  /** A session's id; absent for a chat that has no message yet. */
  session?: string;
  /** What was written in a chat that has no message yet. */
  draft?: string;
  /** The page of the settings. */
  page?: string;
}

export interface Layout {
  tabs: Tab[];
  active: string | null;
}

interface Tabs extends Layout {
  /** The last ones closed, newest last. */
  closed: Tab[];
  open(tab: Omit<Tab, "id">): void;
  activate(id: string): void;
  close(id: string): void;
  reopen(): void;
  move(id: string, to: number): void;
  step(by: number): void;
  change(id: string, change: Partial<Omit<Tab, "id">>): void;
  restore(layout: Layout): void;
  forgetSession(session: string): void;
}

/** Tabs that can be reopened. */
const maxClosed = 20;

let made = 0;
const newId = (): string => `tab-${Date.now().toString(36)}-${++made}`;

const same = (a: Omit<Tab, "id">, b: Omit<Tab, "id">): boolean => a.kind === b.kind && (a.kind === "settings" || (a.session !== undefined && a.session === b.session));

export const useTabs = create<Tabs>((set) => ({
  tabs: [],
  active: null,
  closed: [],
  open: (tab) =>
    set((s) => {
      const have = s.tabs.find((other) => same(other, tab) || (tab.kind === "session" && !tab.session && other.kind === "session" && !other.session));
      if (have) return { active: have.id, tabs: s.tabs.map((other) => (other === have ? { ...have, ...tab } : other)) };
      const opened = { ...tab, id: newId() };
      const at = s.tabs.findIndex((other) => other.id === s.active) + 1;
      return { tabs: [...s.tabs.slice(0, at), opened, ...s.tabs.slice(at)], active: opened.id };
    }),
  activate: (active) => set({ active }),
  close: (id) =>
    set((s) => {
      const at = s.tabs.findIndex((tab) => tab.id === id);
      if (at < 0) return s;
      const tabs = s.tabs.filter((tab) => tab.id !== id);
      const active = s.active === id ? ((tabs[at] ?? tabs[at - 1])?.id ?? null) : s.active;
      return { tabs, active, closed: [...s.closed, s.tabs[at]!].slice(-maxClosed) };
    }),
  reopen: () =>
    set((s) => {
      const tab = s.closed.at(-1);
      if (!tab) return s;
      return { tabs: [...s.tabs, tab], active: tab.id, closed: s.closed.slice(0, -1) };
    }),
  move: (id, to) =>
    set((s) => {
      const tab = s.tabs.find((other) => other.id === id);
      if (!tab) return s;
      const rest = s.tabs.filter((other) => other !== tab);
      return { tabs: [...rest.slice(0, to), tab, ...rest.slice(to)] };
    }),
  step: (by) =>
    set((s) => {
      if (s.tabs.length === 0) return s;
      const at = s.tabs.findIndex((tab) => tab.id === s.active);
      return { active: s.tabs[(at + by + s.tabs.length) % s.tabs.length]!.id };
    }),
  change: (id, change) => set((s) => ({ tabs: s.tabs.map((tab) => (tab.id === id ? { ...tab, ...change } : tab)) })),
  restore: ({ tabs, active }) => set({ tabs, active: tabs.some((tab) => tab.id === active) ? active : (tabs[0]?.id ?? null) }),
  forgetSession: (session) =>
    set((s) => {
      const tabs = s.tabs.filter((tab) => tab.session !== session);
      return { tabs, active: tabs.some((tab) => tab.id === s.active) ? s.active : (tabs.at(-1)?.id ?? null) };
    }),
}));

/** Reads a layout that was saved, by this version or another; what it does not know is left out. */
export function layoutOf(saved: unknown): Layout | null {
  if (typeof saved !== "object" || saved === null || !Array.isArray((saved as Layout).tabs)) return null;
  const tabs = (saved as Layout).tabs.filter(
    (tab): tab is Tab => typeof tab === "object" && tab !== null && typeof tab.id === "string" && (tab.kind === "settings" || tab.kind === "session"),
  );
  const active = (saved as Layout).active;
  return { tabs, active: typeof active === "string" ? active : null };
}
