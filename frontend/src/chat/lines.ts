/** A difference as lines, with what stays far from any change left out. Pure. */
import { diffLines } from "diff";

export type Line = { type: "same" | "added" | "removed"; text: string; before?: number; after?: number } | { type: "gap"; lines: number };

/** Lines of what stays that are shown around a change. */
const around = 3;

/** Above this many characters the texts are compared as a whole: a difference of two long texts would hold up the window. */
const comparable = 400_000;

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/));

export function unified(before: string, after: string): Line[] {
  const all: Exclude<Line, { type: "gap" }>[] = [];
  let left = 1;
  let right = 1;
  const removed = (text: string) => all.push({ type: "removed", text, before: left++ });
  const added = (text: string) => all.push({ type: "added", text, after: right++ });
  const changes = before.length + after.length > comparable ? undefined : diffLines(before, after, { timeout: 400, stripTrailingCr: true });
  if (!changes) {
    linesOf(before).forEach(removed);
    linesOf(after).forEach(added);
    return all;
  }
  for (const change of changes) {
    for (const text of linesOf(change.value)) {
      if (change.added) added(text);
      else if (change.removed) removed(text);
      else all.push({ type: "same", text, before: left++, after: right++ });
    }
  }
  return withGaps(all);
}

function withGaps(all: Exclude<Line, { type: "gap" }>[]): Line[] {
  const near = new Uint8Array(all.length);
  all.forEach((line, n) => {
    if (line.type !== "same") near.fill(1, Math.max(0, n - around), n + around + 1);
  });
  const out: Line[] = [];
  let n = 0;
  while (n < all.length) {
    if (near[n]) {
      out.push(all[n++]!);
      continue;
    }
    let end = n;
    while (end < all.length && !near[end]) end++;
    out.push({ type: "gap", lines: end - n });
    n = end;
  }
  return out;
}

type Shown = Exclude<Line, { type: "gap" }>;

/** One line of each text beside the other; where one has none, nothing. */
export type Pair = { type: "gap"; lines: number } | { type: "pair"; left?: Shown; right?: Shown };

/** The same difference side by side: what goes at the left of what comes in its place. */
export function sideBySide(lines: readonly Line[]): Pair[] {
  const pairs: Pair[] = [];
  let left: Shown[] = [];
  let right: Shown[] = [];
  const end = () => {
    for (let n = 0; n < Math.max(left.length, right.length); n++) pairs.push({ type: "pair", left: left[n], right: right[n] });
    left = [];
    right = [];
  };
  for (const line of lines) {
    if (line.type === "removed") {
      if (right.length > 0) end();
      left.push(line);
    } else if (line.type === "added") right.push(line);
    else {
      end();
      pairs.push(line.type === "gap" ? line : { type: "pair", left: line, right: line });
    }
  }
  end();
  return pairs;
}

export const counts = (lines: readonly Line[]): { added: number; removed: number } => ({
  added: lines.filter((line) => line.type === "added").length,
  removed: lines.filter((line) => line.type === "removed").length,
});
