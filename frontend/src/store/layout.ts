/** Tabs in groups side by side, as values: every change gives the next layout and leaves the last one alone. Pure. */

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

/** A row of tabs with the panel of the active one. */
export interface Group {
  id: string;
  tabs: Tab[];
  active: string | null;
  /** How wide it is beside the others: a share, not a size. */
  share: number;
}

export interface Layout {
  groups: Group[];
  /** The group that the next tab opens in. */
  focused: string;
}

/** Groups that fit beside each other on an ordinary screen. */
export const maxGroups = 3;

/** The narrowest a group can be drawn to, as a share of both that are resized. */
const minShare = 0.2;

export const emptyLayout = (): Layout => ({ groups: [{ id: "group-1", tabs: [], active: null, share: 1 }], focused: "group-1" });

export const tabsOf = (layout: Layout): Tab[] => layout.groups.flatMap((group) => group.tabs);

export const focusedOf = (layout: Layout): Group => layout.groups.find((group) => group.id === layout.focused) ?? layout.groups[0]!;

export const groupOf = (layout: Layout, tab: string): Group | undefined => layout.groups.find((group) => group.tabs.some((other) => other.id === tab));

const withGroup = (layout: Layout, id: string, change: (group: Group) => Group): Layout => ({ ...layout, groups: layout.groups.map((group) => (group.id === id ? change(group) : group)) });

/** A group without tabs is no group, but for the last one. */
function tidy(layout: Layout): Layout {
  const groups = layout.groups.filter((group) => group.tabs.length > 0);
  const kept = groups.length > 0 ? groups : [{ ...layout.groups[0]!, tabs: [], active: null, share: 1 }];
  const focused = kept.some((group) => group.id === layout.focused) ? layout.focused : kept[Math.min(kept.length, Math.max(0, layout.groups.findIndex((group) => group.id === layout.focused))) - 1]?.id ?? kept[0]!.id;
  return { groups: kept, focused };
}

/** Whether two tabs would show the same thing: such a one is not opened twice. */
const same = (a: Omit<Tab, "id">, b: Omit<Tab, "id">): boolean =>
  a.kind === b.kind && (a.kind === "settings" || (a.session === undefined ? b.session === undefined && !a.draft && !b.draft : a.session === b.session));

export function activated(layout: Layout, id: string): Layout {
  const group = groupOf(layout, id);
  return group ? { ...withGroup(layout, group.id, (one) => ({ ...one, active: id })), focused: group.id } : layout;
}

/** Goes to the tab that shows this already, or opens one after the active one. */
export function opened(layout: Layout, tab: Omit<Tab, "id">, id: string): Layout {
  const have = tabsOf(layout).find((other) => same(other, tab));
  if (have) return activated(changed(layout, have.id, tab), have.id);
  const group = focusedOf(layout);
  const at = group.tabs.findIndex((other) => other.id === group.active) + 1;
  return { ...withGroup(layout, group.id, (one) => ({ ...one, tabs: [...one.tabs.slice(0, at), { ...tab, id }, ...one.tabs.slice(at)], active: id })), focused: group.id };
}

function without(group: Group, id: string): Group {
  const at = group.tabs.findIndex((tab) => tab.id === id);
  if (at < 0) return group;
  const tabs = group.tabs.filter((tab) => tab.id !== id);
  return { ...group, tabs, active: group.active === id ? ((tabs[at] ?? tabs[at - 1])?.id ?? null) : group.active };
}

export function closed(layout: Layout, id: string): Layout {
  return tidy({ ...layout, groups: layout.groups.map((group) => without(group, id)) });
}

export function changed(layout: Layout, id: string, change: Partial<Omit<Tab, "id">>): Layout {
  return { ...layout, groups: layout.groups.map((group) => (group.tabs.some((tab) => tab.id === id) ? { ...group, tabs: group.tabs.map((tab) => (tab.id === id ? { ...tab, ...change } : tab)) } : group)) };
}

/** Puts a tab at a place of a group. */
export function moved(layout: Layout, id: string, to: string, at: number): Layout {
  const tab = tabsOf(layout).find((other) => other.id === id);
  const from = groupOf(layout, id);
  if (!tab || !from || !layout.groups.some((group) => group.id === to)) return layout;
  const groups = layout.groups.map((group) => {
    const left = from.id === group.id ? (group.id === to ? { ...group, tabs: group.tabs.filter((other) => other !== tab) } : without(group, id)) : group;
    return left.id === to ? { ...left, tabs: [...left.tabs.slice(0, at), tab, ...left.tabs.slice(at)], active: id } : left;
  });
  return tidy({ groups, focused: to });
}

/** Opens a group right of the one a tab is in and takes the tab there; where it is the only one, a new chat opens beside it. */
export function split(layout: Layout, id: string, group: string, tab: string): Layout {
  const from = groupOf(layout, id);
  if (!from || layout.groups.length >= maxGroups) return layout;
  const share = from.share / 2;
  const beside: Group = { id: group, tabs: [], active: null, share };
  const groups = layout.groups.flatMap((one) => (one.id === from.id ? [{ ...one, share }, beside] : [one]));
  if (from.tabs.length > 1) return moved({ groups, focused: from.id }, id, group, 0);
  return { groups: groups.map((one) => (one.id === group ? { ...one, tabs: [{ id: tab, kind: "session" }], active: tab } : one)), focused: group };
}

/** Moves the edge between a group and the next one, by a share of both. */
export function resized(layout: Layout, left: string, by: number): Layout {
  const at = layout.groups.findIndex((group) => group.id === left);
  const [a, b] = [layout.groups[at], layout.groups[at + 1]];
  if (!a || !b) return layout;
  const both = a.share + b.share;
  const share = Math.min(both * (1 - minShare), Math.max(both * minShare, a.share + by * both));
  return { ...layout, groups: layout.groups.map((group) => (group === a ? { ...group, share } : group === b ? { ...group, share: both - share } : group)) };
}

/** The tab before or after the active one, round and round. */
export function stepped(layout: Layout, by: number): Layout {
  const group = focusedOf(layout);
  const { tabs } = group;
  if (tabs.length === 0) return layout;
  const at = tabs.findIndex((tab) => tab.id === group.active);
  return activated(layout, tabs[(at + by + tabs.length) % tabs.length]!.id);
}

const isTab = (tab: unknown): tab is Tab => {
  if (typeof tab !== "object" || tab === null) return false;
  const { id, kind } = tab as Partial<Tab>;
  return typeof id === "string" && (kind === "settings" || kind === "session");
};

const groupFrom = (saved: Partial<Group>, n: number): Group => {
  const tabs = Array.isArray(saved.tabs) ? saved.tabs.filter(isTab) : [];
  const active = tabs.find((tab) => tab.id === saved.active)?.id ?? tabs[0]?.id ?? null;
  return { id: typeof saved.id === "string" ? saved.id : `group-${n + 1}`, tabs, active, share: typeof saved.share === "number" && saved.share > 0 ? saved.share : 1 };
};

/** Reads a layout that was saved, by this version or another; what it does not know is left out. Null: nothing is open. */
export function layoutOf(saved: unknown): Layout | null {
  if (typeof saved !== "object" || saved === null) return null;
  const known = saved as { groups?: unknown; focused?: unknown; tabs?: unknown; active?: string | null };
  const groups = Array.isArray(known.groups) ? known.groups : Array.isArray(known.tabs) ? [{ tabs: known.tabs, active: known.active }] : [];
  const read = groups.slice(0, maxGroups).filter((group) => typeof group === "object" && group !== null).map((group, n) => groupFrom(group as Partial<Group>, n)).filter((group) => group.tabs.length > 0);
  if (read.length === 0) return null;
  return { groups: read, focused: read.find((group) => group.id === known.focused)?.id ?? read[0]!.id };
}
