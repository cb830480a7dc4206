import { create } from "zustand";
import { activated, changed, closed, emptyLayout, focusedOf, groupOf, layoutOf, moved, opened, resized, split, stepped, tabsOf, type Layout, type Tab } from "./layout";

export { layoutOf, type Group, type Layout, type Tab } from "./layout";

interface Tabs extends Layout {
  /** Every tab, and the active one of the focused group; for who does not care about groups. */
  tabs: Tab[];
  active: string | null;
  /** The last ones closed, newest last. */
  closed: Tab[];
  open(tab: Omit<Tab, "id">): void;
  activate(id: string): void;
  focus(group: string): void;
  close(id: string): void;
  reopen(): void;
  move(id: string, group: string, to: number): void;
  split(id: string): void;
  resize(left: string, by: number): void;
  step(by: number): void;
  change(id: string, change: Partial<Omit<Tab, "id">>): void;
  restore(layout: Layout): void;
  forgetSession(session: string): void;
}

/** Tabs that can be reopened. */
const maxClosed = 20;

let made = 0;
const newId = (kind: string): string => `${kind}-${Date.now().toString(36)}-${++made}`;

const seen = (layout: Layout): Layout & Pick<Tabs, "tabs" | "active"> => ({ groups: layout.groups, focused: layout.focused, tabs: tabsOf(layout), active: focusedOf(layout).active });

export const useTabs = create<Tabs>((set) => {
  const become = (next: (layout: Layout) => Layout) =>
    set((s) => {
      const layout = next(s);
      return layout === s ? s : seen(layout);
    });
  return {
    ...seen(emptyLayout()),
    closed: [],
    open: (tab) => become((s) => opened(s, tab, newId("tab"))),
    activate: (id) => become((s) => activated(s, id)),
    focus: (group) => become((s) => (s.focused === group || !s.groups.some((one) => one.id === group) ? s : { groups: s.groups, focused: group })),
    close: (id) =>
      set((s) => {
        const tab = s.tabs.find((other) => other.id === id);
        return tab ? { ...seen(closed(s, id)), closed: [...s.closed, tab].slice(-maxClosed) } : s;
      }),
    reopen: () =>
      set((s) => {
        const tab = s.closed.at(-1);
        if (!tab) return s;
        const { id, ...shown } = tab;
        return { ...seen(opened(s, shown, id)), closed: s.closed.slice(0, -1) };
      }),
    move: (id, group, to) => become((s) => moved(s, id, group, to)),
    split: (id) => become((s) => split(s, id, newId("group"), newId("tab"))),
    resize: (left, by) => become((s) => resized(s, left, by)),
    step: (by) => become((s) => stepped(s, by)),
    change: (id, change) => become((s) => (groupOf(s, id) ? changed(s, id, change) : s)),
    restore: (layout) => set({ ...seen(layoutOf(layout) ?? emptyLayout()) }),
    forgetSession: (session) =>
      set((s) => {
        const gone = s.tabs.filter((tab) => tab.session === session);
        if (gone.length === 0 && !s.closed.some((tab) => tab.session === session)) return s;
        return { ...seen(gone.reduce((layout, tab) => closed(layout, tab.id), s as Layout)), closed: s.closed.filter((tab) => tab.session !== session) };
      }),
  };
});
