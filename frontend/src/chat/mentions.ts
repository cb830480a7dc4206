/** What "@" in a message may stand for: which memories are offered, and how one is written so that the core finds it. */
import type { MemoryItem } from "../host";

/** More would not be read; typing on narrows them. */
const maxOffered = 8;
/** Characters of a title that are looked at; longer ones are not typed. */
const maxQuery = 60;

export interface Mention {
  /** Where its "@" stands. */
  from: number;
  query: string;
}

const partOfWord = /[\p{L}\p{N}\p{M}_]/u;

/** What is being mentioned where the caret is. "me@example.org" mentions nothing, as for the core. */
export function mentionAt(text: string, caret: number): Mention | undefined {
  const from = text.slice(0, caret).lastIndexOf("@");
  if (from < 0 || caret - from > maxQuery) return undefined;
  if (from > 0 && partOfWord.test([...text.slice(0, from)].at(-1) ?? "")) return undefined;
  const typed = text.slice(from + 1, caret);
  if (typed.includes("\n") || /^\s/.test(typed)) return undefined;
  const query = typed.startsWith('"') ? typed.slice(1) : typed;
  return query.includes('"') ? undefined : { from, query };
}

const folded = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** The memories that a mention may mean, those that begin so first. What is off or out of order can't be mentioned. */
export function offered(items: readonly MemoryItem[], query: string): MemoryItem[] {
  const wanted = folded(query);
  const rank = (title: string): number => {
    const name = folded(title);
    if (name.startsWith(wanted)) return 0;
    return name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted)) ? 1 : name.includes(wanted) ? 2 : 3;
  };
  return items
    .filter((item) => item.enabled && !item.problem)
    .map((item) => ({ item, rank: rank(item.title) }))
    .filter((one) => one.rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, maxOffered)
    .map((one) => one.item);
}

/** The message with the title in the place of what was typed, and where the caret goes on. */
export function withMention(text: string, at: Mention, caret: number, title: string): { text: string; caret: number } {
  const name = /[^\p{L}\p{N}\p{M}_-]/u.test(title) && !title.includes('"') ? `@"${title}"` : `@${title}`;
  const after = text.slice(caret).replace(/^"/, "");
  const gap = /^\s/.test(after) ? "" : " ";
  return { text: text.slice(0, at.from) + name + gap + after, caret: at.from + name.length + 1 };
}
