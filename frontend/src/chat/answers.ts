/** What can be answered to a question, and whether enough was. Pure; the rules are those of the core, which checks again. */
import type { Option, Question } from "../host";

/** What the person has put in so far for one question. */
export interface Draft {
  chosen: string[];
  /** The text of "something else", or the whole answer where nothing is offered. */
  text: string;
  /** "Something else" is among what is chosen. */
  other: boolean;
  /** Cells by row, one for each column in order. */
  rows: string[][];
}

export const isTable = (q: Question): boolean => q.kind === "table";

export const takesText = (q: Question): boolean => (q.kind ?? "choice") === "choice" && (!!q.allowFreeformInput || !q.options?.length);

/** What is offered, whatever the kind. */
export function optionsOf(q: Question, words: { accept: string; reject: string }): Option[] {
  switch (q.kind) {
    case "diff":
      return [{ value: "accept", label: words.accept }, { value: "reject", label: words.reject }];
    case "image":
      return q.actions ?? [];
    case "files":
      return (q.entries ?? []).map((entry) => ({ value: entry.path, label: entry.label || entry.path, description: entry.description ?? (entry.label ? entry.path : undefined) }));
    case "table":
      return [];
    default:
      return q.options ?? [];
  }
}

/** Nothing can answer it: one has to be chosen, and none is offered. */
export const unanswerable = (q: Question): boolean => !isTable(q) && !takesText(q) && !many(q) && q.kind !== "diff" && optionsOf(q, { accept: "", reject: "" }).length === 0;

/** Puts a text into one cell. */
export const withCell = (rows: readonly string[][], row: number, column: number, text: string): string[][] => rows.map((cells, n) => (n === row ? cells.map((cell, m) => (m === column ? text : cell)) : cells));

/** Puts an empty row after another; after the last one when it is not said where. */
export const withRow = (rows: readonly string[][], columns: number, after = rows.length - 1): string[][] => [...rows.slice(0, after + 1), Array.from({ length: columns }, () => ""), ...rows.slice(after + 1)];

export const withoutRow = (rows: readonly string[][], row: number): string[][] => rows.filter((_, n) => n !== row);

/** Puts cells that were copied from a spreadsheet where the caret is; rows and columns that are not there are added and left out. */
export function withPasted(rows: readonly string[][], row: number, column: number, text: string, columns: number): string[][] {
  const pasted = text.replace(/\r?\n$/, "").split(/\r?\n/).map((line) => line.split("\t"));
  let out = rows.map((cells) => [...cells]);
  pasted.forEach((cells, n) => {
    if (row + n >= out.length) out = withRow(out, columns);
    cells.forEach((cell, m) => {
      if (column + m < columns) out[row + n]![column + m] = cell;
    });
  });
  return out;
}

/** The cell that a key leads to from another; nothing where the key stays in the text or there is no cell. */
export function cellAfter(key: string, row: number, column: number, rows: number): [row: number, column: number] | undefined {
  const to = key === "ArrowUp" ? row - 1 : key === "ArrowDown" || key === "Enter" ? row + 1 : row;
  return to === row || to < 0 || to >= rows ? undefined : [to, column];
}

export const many = (q: Question): boolean => !!q.multiselect && q.kind !== "diff" && q.kind !== "image";

const asText = (value: unknown): string => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

export function begun(q: Question): Draft {
  const columns = q.columns ?? [];
  return { chosen: [], text: "", other: false, rows: isTable(q) ? (q.rows ?? []).map((row) => columns.map((_, n) => asText(row[n]))) : [] };
}

/** Chooses an option, or takes it back where several can be chosen. */
export function choose(q: Question, draft: Draft, value: string): Draft {
  if (!many(q)) return { ...draft, chosen: [value], other: false };
  return { ...draft, chosen: draft.chosen.includes(value) ? draft.chosen.filter((other) => other !== value) : [...draft.chosen, value] };
}

/** The answer as the core takes it; undefined while something is missing. */
export function answerOf(q: Question, draft: Draft): unknown {
  if (isTable(q)) return draft.rows.map((row) => Object.fromEntries((q.columns ?? []).map((column, n) => [column, row[n] ?? ""])));
  const text = draft.text.trim();
  const bare = takesText(q) && !q.options?.length;
  if (many(q)) {
    const offered = (q.options ?? q.entries ?? []).map((one) => ("value" in one ? one.value : one.path));
    const chosen = offered.filter((value) => draft.chosen.includes(value));
    const all = (draft.other || bare) && text ? [...chosen, text] : chosen;
    return all.length > 0 || (!bare && !draft.other) ? all : undefined;
  }
  if (draft.other || bare) return text ? draft.text : undefined;
  return draft.chosen[0];
}

/** What was answered, in the words that were offered. */
export function answerText(q: Question, answer: unknown, words: { accept: string; reject: string; nothing: string; rows(count: number): string }): string {
  const options = optionsOf(q, words);
  const name = (value: unknown): string => options.find((option) => option.value === value)?.label ?? asText(value);
  if (isTable(q)) return words.rows(Array.isArray(answer) ? answer.length : 0);
  if (Array.isArray(answer)) return answer.length > 0 ? answer.map(name).join(", ") : words.nothing;
  return name(answer);
}

/** The host's own "may this run?", recognised by what it offers; nobody else asks without a name. */
export const isConfirmation = (extension: string, questions: readonly Question[]): boolean =>
  extension === "" && questions.length === 1 && (questions[0]?.options ?? []).map((option) => option.value).join() === "yes,no,stop";
