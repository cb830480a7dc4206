import { describe, expect, it } from "vitest";
import type { HostEvent, Session } from "../host";
import { matches } from "./actions";
import { batched } from "./effects";
import { found, grouped } from "./grouping";
import { placeAt } from "./Tabs";

const session = (title: string, updatedAt: number): Session => ({ id: title, title, mode: "guided", createdAt: 0, updatedAt, scroll: {}, running: false, waiting: false });

describe("sessions by day", () => {
  const now = new Date(2026, 10, 30, 9, 0);
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime();
  it("are parted where the calendar does, not by hours", () => {
    const groups = grouped([session("now", at(30, 8)), session("last night", at(29, 23)), session("monday", at(24, 10)), session("long ago", at(1, 1))], now);
    expect(groups.map((group) => [group.label, group.sessions[0]?.title])).toEqual([["group.today", "now"], ["group.yesterday", "last night"], ["group.week", "monday"], ["group.older", "long ago"]]);
  });
  it("leave out days without any", () => expect(grouped([session("now", at(30, 1))], now)).toHaveLength(1));
});

it("a search finds every word, in any order and case", () => {
  const all = [session("Trip to Lisbon", 0), session("Lisbon invoices", 0)];
  expect(found(all, "lisbon TRIP")).toEqual([all[0]]);
  expect(found(all, "  ")).toBe(all);
});

describe("a key press", () => {
  const press = (key: string, mods: Partial<Record<"ctrlKey" | "metaKey" | "shiftKey" | "altKey", boolean>> = {}) => ({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...mods });
  it.each([
    ["Mod+K", press("k", { ctrlKey: true }), false, true],
    ["Mod+K", press("k", { metaKey: true }), true, true],
    ["Mod+K", press("k", { ctrlKey: true }), true, false],
    ["Mod+K", press("k", { ctrlKey: true, shiftKey: true }), false, false],
    ["Mod+Shift+T", press("T", { ctrlKey: true, shiftKey: true }), false, true],
    ["Ctrl+Tab", press("Tab", { ctrlKey: true }), true, true],
    ["Mod+=", press("+", { ctrlKey: true, shiftKey: true }), false, true],
    ["Mod+\\", press("\\", { ctrlKey: true }), false, true],
    ["Mod+W", press("w", { ctrlKey: true, altKey: true }), false, false],
  ])("%s", (shortcut, event, mac, want) => expect(matches(shortcut, event, mac)).toBe(want));
});

it("a dragged tab belongs after the tabs whose middle it has passed", () => {
  expect(placeAt(10, [50, 150])).toBe(0);
  expect(placeAt(90, [50, 150])).toBe(1);
  expect(placeAt(500, [50, 150])).toBe(2);
});

it("events are told once a frame, all of them and in order", () => {
  const told: number[][] = [];
  let frame = () => {};
  const tell = batched((events) => told.push(events.map((event) => (event.payload as unknown as { n: number }).n)), (run) => (frame = run));
  const event = (n: number) => ({ topic: "resync", payload: { n } }) as unknown as HostEvent;
  tell([event(1), event(2)]);
  tell([event(3)]);
  expect(told).toEqual([]);
  frame();
  tell([event(4)]);
  frame();
  expect(told).toEqual([[1, 2, 3], [4]]);
});
