import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import type { Entry, HostEvent, Session, Transcript } from "./api.gen";
import { byTime, Journal, withDelta, withEntry } from "./merge";
import { apply, keys } from "./queries";

const entry = (id: string, seq: number, more: Partial<Entry> = {}): Entry => ({ id, session: "s", seq, turn: "t", kind: "agent", state: "running", createdAt: 0, ...more });
const session = (id: string, updatedAt: number): Session => ({ id, title: id, mode: "guided", createdAt: 0, updatedAt, scroll: {}, running: false, waiting: false });
const ids = (entries: Entry[] | undefined) => entries?.map((one) => one.id).join("");

describe("an entry that is announced", () => {
  it("goes where its number says", () => {
    expect(ids(withEntry([entry("a", 1), entry("c", 3)], entry("b", 2)))).toBe("abc");
    expect(ids(withEntry([], entry("a", 1)))).toBe("a");
  });

  it("takes the place of what it was before", () => {
    const changed = withEntry([entry("a", 1), entry("b", 2)], entry("a", 1, { state: "done", text: "x" }));
    expect(changed[0]).toMatchObject({ id: "a", state: "done", text: "x" });
    expect(changed).toHaveLength(2);
  });

  it("never brings back to life what ended", () => {
    const before = [entry("a", 1, { state: "done", text: "whole" })];
    expect(withEntry(before, entry("a", 1, { text: "who" }))).toBe(before);
  });

  it("never takes streamed text away while it goes on", () => {
    expect(withEntry([entry("a", 1, { text: "longer" })], entry("a", 1, { text: "long" }))[0]?.text).toBe("longer");
  });

  it("may be shorter at its end: then it is the whole", () => {
    expect(withEntry([entry("a", 1, { text: "longer" })], entry("a", 1, { text: "long", state: "cancelled" }))[0]?.text).toBe("long");
  });
});

describe("streamed text", () => {
  const delta = (at: number, text: string) => ({ session: "s", entry: "a", at, text });
  it.each([
    ["is appended at its place", "Hello", 5, " you", "Hello you"],
    ["that is there already changes nothing", "Hello you", 5, " you", "Hello you"],
    ["that is there in part is appended in part", "Hello y", 5, " you", "Hello you"],
    ["counts UTF-16 units, as the core does", "🏛 ", 3, "x", "🏛 x"],
  ])("%s", (_, have, at, text, want) => {
    expect(withDelta([entry("a", 1, { text: have })], delta(at, text))?.[0]?.text).toBe(want);
  });

  it("after a gap has to be fetched again", () => {
    expect(withDelta([entry("a", 1, { text: "Hel" })], delta(5, " you"))).toBeUndefined();
    expect(withDelta([], delta(0, "x"))).toBeUndefined();
  });

  it("that comes after the end is ignored", () => {
    const before = [entry("a", 1, { state: "done", text: "x" })];
    expect(withDelta(before, delta(1, "y"))).toBe(before);
  });
});

it("sessions stand with the newest first, always in the same order", () => {
  expect(byTime([session("a", 1), session("c", 2), session("b", 2)]).map((one) => one.id)).toEqual(["c", "b", "a"]);
});

describe("the journal", () => {
  const said: HostEvent = { topic: "entry", payload: entry("b", 2, { state: "done", text: "new" }) };
  const fetched = (): Transcript => ({ session: session("s", 1), entries: [entry("a", 1)] });

  it("plays what was announced while a transcript was on its way", () => {
    const journal = new Journal();
    const finish = journal.begin("s");
    journal.note(said);
    expect(ids(finish(fetched()).entries ?? [])).toBe("ab");
  });

  it("keeps nothing for who does not wait, and nothing of other sessions", () => {
    const journal = new Journal();
    journal.note(said);
    const finish = journal.begin("other");
    journal.note(said);
    expect(ids(finish(fetched()).entries ?? [])).toBe("a");
  });

  it("does not bring an older state over a newer one", () => {
    const journal = new Journal();
    const finish = journal.begin("s");
    journal.note({ topic: "entry", payload: entry("a", 1, { text: "old" }) });
    const newer: Transcript = { session: session("s", 1), entries: [entry("a", 1, { state: "done", text: "whole" })] };
    expect(finish(newer).entries?.[0]).toMatchObject({ state: "done", text: "whole" });
  });
});

describe("the caches", () => {
  const filled = () => {
    const queries = new QueryClient();
    queries.setQueryData<Transcript>(keys.transcript("s"), { session: { ...session("s", 1), draft: "mine" }, entries: [entry("a", 1, { text: "" })] });
    queries.setQueryData<Session[]>(keys.sessions, [session("s", 1), session("o", 0)]);
    return queries;
  };
  const transcript = (queries: QueryClient) => queries.getQueryData<Transcript>(keys.transcript("s"));

  it("take a batch of pieces in one change", () => {
    const queries = filled();
    let changes = 0;
    queries.getQueryCache().subscribe((event) => event.type === "updated" && event.query.queryKey[0] === "transcript" && changes++);
    apply(queries, [..."streaming"].map((text, at): HostEvent => ({ topic: "delta", payload: { session: "s", entry: "a", at, text } })));
    expect(transcript(queries)?.entries?.[0]?.text).toBe("streaming");
    expect(changes).toBe(1);
  });

  it("fetch a transcript again that missed something", () => {
    const queries = filled();
    apply(queries, [{ topic: "delta", payload: { session: "s", entry: "a", at: 7, text: "x" } }]);
    expect(queries.getQueryState(keys.transcript("s"))?.isInvalidated).toBe(true);
  });

  it("keep this window's draft when a session changes", () => {
    const queries = filled();
    apply(queries, [{ topic: "session", payload: { ...session("s", 5), title: "Named", draft: "of before" } }]);
    expect(transcript(queries)?.session).toMatchObject({ title: "Named", draft: "mine" });
    expect(queries.getQueryData<Session[]>(keys.sessions)?.[0]?.title).toBe("Named");
  });

  it("forget a session that is gone, and fetch everything after a gap", () => {
    const queries = filled();
    apply(queries, [{ topic: "sessionGone", payload: { id: "o" } }]);
    expect(queries.getQueryData<Session[]>(keys.sessions)?.map((one) => one.id)).toEqual(["s"]);
    apply(queries, [{ topic: "resync", payload: {} }]);
    expect(queries.getQueryState(keys.transcript("s"))?.isInvalidated).toBe(true);
    expect(queries.getQueryState(keys.sessions)?.isInvalidated).toBe(true);
  });
});
