/** How what the core announces becomes part of what was fetched. Pure. */
import type { Entry, HostEvent, Session, TextDelta, Transcript } from "./api.gen";

export const ended = (entry: Pick<Entry, "state">): boolean => entry.state !== "open" && entry.state !== "running";

/** Where an entry is, looked for from the end: what changes is nearly always the newest. */
function indexOf(entries: readonly Entry[], id: string): number {
  for (let at = entries.length - 1; at >= 0; at--) if (entries[at]!.id === id) return at;
  return -1;
}

const replaced = (entries: readonly Entry[], at: number, entry: Entry): Entry[] => {
  const next = entries.slice();
  next[at] = entry;
  return next;
};

/** Puts an entry in its place; an ended one is never replaced by one that goes on, and a longer text not by a shorter. */
export function withEntry(entries: Entry[], entry: Entry): Entry[] {
  const at = indexOf(entries, entry.id);
  if (at >= 0) {
    const old = entries[at]!;
    if (ended(old) && !ended(entry)) return entries;
    const longer = !ended(entry) && (entry.text?.length ?? 0) < (old.text?.length ?? 0);
    return replaced(entries, at, longer ? { ...entry, text: old.text } : entry);
  }
  let after = entries.length;
  while (after > 0 && entries[after - 1]!.seq > entry.seq) after--;
  return [...entries.slice(0, after), entry, ...entries.slice(after)];
}

/** Appends streamed text; undefined when something before it was missed. */
export function withDelta(entries: Entry[], delta: TextDelta): Entry[] | undefined {
  const at = indexOf(entries, delta.entry);
  if (at < 0) return undefined;
  const entry = entries[at]!;
  const have = entry.text ?? "";
  if (ended(entry) || have.length >= delta.at + delta.text.length) return entries;
  if (have.length < delta.at) return undefined;
  return replaced(entries, at, { ...entry, text: have + delta.text.slice(have.length - delta.at) });
}

export const byTime = (sessions: Session[]): Session[] => [...sessions].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));

/** The session that an event is about, where it changes a transcript. */
export function sessionOf(event: HostEvent): string | undefined {
  if (event.topic === "entry" || event.topic === "delta") return event.payload.session;
  return event.topic === "session" ? event.payload.id : undefined;
}

/** A transcript with one more event; undefined when it has to be fetched again. */
export function withEvent(known: Transcript, event: HostEvent): Transcript | undefined {
  switch (event.topic) {
    case "entry":
      return { ...known, entries: withEntry(known.entries ?? [], event.payload) };
    case "delta": {
      const before = known.entries ?? [];
      const entries = withDelta(before, event.payload);
      return entries === before ? known : entries && { ...known, entries };
    }
    case "session":
      // The draft and the place are this window's own.
      return { ...known, session: { ...event.payload, draft: known.session.draft, scroll: known.session.scroll } };
    default:
      return known;
  }
}

/**
 * What happened to transcripts while they were being fetched: an answer is as old as its question, and what was announced in
 * the meantime is played on top of it.
 */
export class Journal {
  private readonly open = new Map<string, Set<HostEvent[]>>();

  /** Begins to note; the result plays what was noted onto what was fetched, and ends it. */
  begin(id: string): (fetched: Transcript) => Transcript {
    const noted: HostEvent[] = [];
    const all = this.open.get(id) ?? new Set();
    all.add(noted);
    this.open.set(id, all);
    return (fetched) => {
      all.delete(noted);
      if (all.size === 0) this.open.delete(id);
      return noted.reduce<Transcript>((known, event) => withEvent(known, event) ?? known, fetched);
    };
  }

  note(event: HostEvent): void {
    const id = sessionOf(event);
    if (id !== undefined) for (const noted of this.open.get(id) ?? []) noted.push(event);
  }
}
