/** What a transcript is made of on screen: entries as they were recorded, in groups that a person reads as one. Pure. */
import type { Entry } from "../host";

/** A call with what it asked and showed. */
export interface CallBlock {
  type: "call";
  id: string;
  entry: Entry;
  children: Entry[];
}

/** A run of calls that ended well and asked nothing: one line that unfolds. */
export interface FoldBlock {
  type: "fold";
  id: string;
  calls: CallBlock[];
}

export interface EntryBlock {
  type: "entry";
  id: string;
  entry: Entry;
}

export type Block = CallBlock | FoldBlock | EntryBlock;

/** How many quiet calls in a row become one line. */
export const foldFrom = 3;

/** What the person ran from a form, rather than a model. */
export const ownCall = (entry: Entry): boolean => entry.kind === "call" && entry.call?.modelCallId === undefined;

const quiet = (block: CallBlock): boolean => block.entry.state === "done" && block.children.length === 0 && !ownCall(block.entry);

/** Says nothing yet, and nothing any more, or is asked elsewhere: not worth a line. */
const empty = (entry: Entry): boolean => (entry.kind === "agent" && entry.state !== "running" && !entry.text?.trim()) || (entry.kind === "permission" && entry.state === "open");

export function blocksOf(entries: readonly Entry[]): Block[] {
  const calls = new Map<string, CallBlock>();
  const flat: (CallBlock | EntryBlock)[] = [];
  for (const entry of entries) {
    const parent = entry.parent ? calls.get(entry.parent) : undefined;
    if (parent) parent.children.push(entry);
    else if (entry.kind === "call") {
      const block: CallBlock = { type: "call", id: entry.id, entry, children: [] };
      calls.set(entry.id, block);
      flat.push(block);
    } else if (!empty(entry)) flat.push({ type: "entry", id: entry.id, entry });
  }
  return folded(flat);
}

function folded(flat: readonly (CallBlock | EntryBlock)[]): Block[] {
  const blocks: Block[] = [];
  let run: CallBlock[] = [];
  const end = () => {
    const first = run[0];
    if (first && run.length >= foldFrom) blocks.push({ type: "fold", id: `fold-${first.id}`, calls: run });
    else blocks.push(...run);
    run = [];
  };
  for (const block of flat) {
    if (block.type === "call" && quiet(block)) run.push(block);
    else {
      end();
      blocks.push(block);
    }
  }
  end();
  return blocks;
}

/** What a fold ran and how often, in the order it was first run. */
export function tally(calls: readonly CallBlock[]): { title: string; times: number }[] {
  const times = new Map<string, number>();
  for (const { entry } of calls) {
    const title = entry.call?.title || entry.call?.name || "";
    times.set(title, (times.get(title) ?? 0) + 1);
  }
  return [...times].map(([title, count]) => ({ title, times: count }));
}

/** Says whether two blocks would look the same, by the identity of what they show: entries are replaced, never changed. */
export function sameBlock(a: Block, b: Block): boolean {
  if (a === b) return true;
  if (a.type !== b.type || a.id !== b.id) return false;
  if (a.type === "entry" && b.type === "entry") return a.entry === b.entry;
  if (a.type === "call" && b.type === "call") return a.entry === b.entry && a.children.length === b.children.length && a.children.every((child, n) => child === b.children[n]);
  if (a.type === "fold" && b.type === "fold") return a.calls.length === b.calls.length && a.calls.every((call, n) => sameBlock(call, b.calls[n] as CallBlock));
  return false;
}

/** The permissions that wait for the person, the oldest first. */
export const permissionsAsked = (entries: readonly Entry[]): Entry[] => entries.filter((entry) => entry.state === "open" && entry.kind === "permission");
