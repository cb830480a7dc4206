import { describe, expect, it } from "vitest";
import { activated, changed, closed, emptyLayout, layoutOf, maxGroups, moved, opened, resized, split, stepped, tabsOf, type Layout } from "./layout";

let made = 0;
const open = (layout: Layout, session?: string) => opened(layout, { kind: "session", session }, `new-${++made}`);
const shown = (layout: Layout) => layout.groups.map((group) => group.tabs.map((tab) => (tab.id === group.active ? `[${tab.session ?? tab.kind}]` : (tab.session ?? tab.kind))).join(" ")).join(" | ");
const three = () => open(open(open(emptyLayout(), "a"), "b"), "c");
const idOf = (layout: Layout, session: string) => tabsOf(layout).find((tab) => tab.session === session)?.id ?? "";

describe("opening", () => {
  it("puts a tab after the active one", () => {
    const layout = three();
    expect(shown(open(activated(layout, idOf(layout, "a")), "x"))).toBe("a [x] b c");
  });

  it("goes to a session that is open already", () => {
    expect(shown(open(three(), "a"))).toBe("[a] b c");
  });

  it("opens one settings tab, and turns it to the page that was asked for", () => {
    const layout = opened(opened(three(), { kind: "settings" }, "s1"), { kind: "settings", page: "about" }, "s2");
    expect(tabsOf(layout).filter((tab) => tab.kind === "settings")).toEqual([{ id: "s1", kind: "settings", page: "about" }]);
  });

  it("opens no second empty chat, but leaves one with a draft alone", () => {
    const once = open(emptyLayout());
    expect(tabsOf(open(once))).toHaveLength(1);
    expect(tabsOf(open(changed(once, tabsOf(once)[0]!.id, { draft: "half a" })))).toHaveLength(2);
  });
});

describe("closing", () => {
  it("goes to the neighbour on the right, at the end to the one on the left", () => {
    const layout = three();
    expect(shown(closed(activated(layout, idOf(layout, "a")), idOf(layout, "a")))).toBe("[b] c");
    expect(shown(closed(layout, idOf(layout, "c")))).toBe("a [b]");
  });

  it("leaves an empty group only when it is the last", () => {
    const layout = split(three(), idOf(three(), "x"), "g2", "t");
    expect(layout.groups).toHaveLength(1);
    expect(shown(closed(open(emptyLayout(), "a"), tabsOf(open(emptyLayout(), "a"))[0]!.id))).toMatch(/^(\[a\])?$/);
    const one = open(emptyLayout(), "a");
    expect(closed(one, idOf(one, "a"))).toMatchObject({ groups: [{ tabs: [], active: null }] });
  });
});

describe("groups", () => {
  it("splitting takes the tab to a new group on the right", () => {
    const layout = three();
    const two = split(layout, idOf(layout, "c"), "g2", "t");
    expect(shown(two)).toBe("a [b] | [c]");
    expect(two.focused).toBe("g2");
    expect(two.groups.map((group) => group.share)).toEqual([0.5, 0.5]);
  });

  it("splitting the only tab opens a new chat beside it", () => {
    const one = open(emptyLayout(), "a");
    expect(shown(split(one, idOf(one, "a"), "g2", "t"))).toBe("[a] | [session]");
  });

  it("there are never more than fit", () => {
    let layout = open(open(three(), "d"), "e");
    for (const name of ["e", "d", "c"]) layout = split(layout, idOf(layout, name), `g-${name}`, "t");
    expect(layout.groups).toHaveLength(maxGroups);
  });

  it("a group whose last tab is moved away is gone", () => {
    const layout = three();
    const two = split(layout, idOf(layout, "c"), "g2", "t");
    expect(shown(moved(two, idOf(two, "c"), two.groups[0]!.id, 0))).toBe("[c] a b");
  });

  it("moving within a group keeps the order of the others", () => {
    const layout = three();
    expect(shown(moved(layout, idOf(layout, "c"), layout.groups[0]!.id, 0))).toBe("[c] a b");
    expect(shown(moved(layout, idOf(layout, "a"), layout.groups[0]!.id, 2))).toBe("b c [a]");
  });

  it("edges move by a share of both and leave each its least", () => {
    const layout = three();
    const two = split(layout, idOf(layout, "c"), "g2", "t");
    expect(resized(two, two.groups[0]!.id, 0.1).groups[0]!.share).toBeCloseTo(0.6);
    const far = resized(two, two.groups[0]!.id, 5);
    expect(far.groups[1]!.share).toBeCloseTo(0.2);
    expect(far.groups[0]!.share + far.groups[1]!.share).toBeCloseTo(1);
  });

  it("stepping goes round within the focused group", () => {
    expect(shown(stepped(three(), 1))).toBe("[a] b c");
    expect(shown(stepped(three(), -1))).toBe("a [b] c");
  });
});

describe("a layout that was saved", () => {
  it("comes back as it was", () => {
    const layout = split(three(), idOf(three(), "c"), "g2", "t");
    expect(layoutOf(JSON.parse(JSON.stringify(layout)))).toEqual(layout);
  });

  it("of an earlier version is one group", () => {
    expect(layoutOf({ tabs: [{ id: "x", kind: "session", session: "a" }], active: "x" })).toEqual({ groups: [{ id: "group-1", tabs: [{ id: "x", kind: "session", session: "a" }], active: "x", share: 1 }], focused: "group-1" });
  });

  it.each([null, 7, "x", {}, { groups: "x" }, { groups: [] }, { groups: [null, { tabs: [] }] }, { groups: [{ tabs: [{ kind: "game", id: "x" }, null] }] }])("is nothing where it makes no sense: %j", (saved) => {
    expect(layoutOf(saved)).toBeNull();
  });
});
