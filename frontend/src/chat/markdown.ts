/** Cuts markdown so that text which streams is parsed only where it changes. Pure. */

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** A line that belongs to what stands before the empty line above it: a further list item, or something indented. */
const goesOn = /^(\s{2,}\S|\t|\s*([-*+]|\d+[.)])(\s|$)|\s*\d+$)/;
const list = /^\s*([-*+]|\d+[.)])\s/;

export interface Piece {
  /** Where it begins; the same for as long as the text before it stays the same. */
  at: number;
  text: string;
  /** It is a fenced code block, with its language; `closed` once its last line is there. */
  code?: { language: string; body: string; closed: boolean };
}

/** Link definitions and footnotes are seen from anywhere in a text: such a text stays in one piece. */
const farReaching = /^ {0,3}\[[^\]\n]+\]:/m;

/** Cuts a text at empty lines that end a block, and around fenced code. Joined, the pieces are the text. */
export function piecesOf(text: string): Piece[] {
  if (farReaching.test(text)) return [{ at: 0, text }];
  const pieces: Piece[] = [];
  let start = 0;
  let at = 0;
  let open: { mark: string; language: string; bodyAt: number } | undefined;
  let inList = false;
  let math = false;
  let blank = false;
  const cut = (to: number, code?: Piece["code"]) => {
    const piece = text.slice(start, to);
    if (piece.trim() || code) pieces.push(code ? { at: start, text: piece, code } : { at: start, text: piece });
    start = to;
    inList = false;
  };
  while (at < text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, newline < 0 ? end : newline);
    const found = fence.exec(line);
    if (open) {
      const closes = found && found[1]!.startsWith(open.mark) && !found[2]!.trim();
      if (closes) {
        cut(end, { language: open.language, body: text.slice(open.bodyAt, at), closed: true });
        open = undefined;
      }
    } else if (found && !inList && !(found[1]!.startsWith("`") && found[2]!.includes("`"))) {
      cut(at);
      open = { mark: found[1]!, language: found[2]!.trim().split(/\s+/)[0] ?? "", bodyAt: end };
    } else if (!line.trim()) blank = true;
    else {
      if (blank && at > start && !math && !(inList && goesOn.test(line))) cut(at);
      blank = false;
      if (list.test(line)) inList = true;
      if (line.split("$$").length % 2 === 0) math = !math;
    }
    at = end;
  }
  if (open) cut(text.length, { language: open.language, body: text.slice(Math.min(open.bodyAt, text.length)), closed: false });
  else cut(text.length);
  return pieces;
}

/**
 * Makes `\(…\)` and `\[…\]` the dollars that the parser knows, and escapes dollars that are money: as pandoc reads them, an
 * opening one has no space after it, a closing one none before it and no digit after it. Code is left alone.
 */
export function withMath(text: string): string {
  if (!/[$\\]/.test(text)) return text;
  return text
    .split(/(`+[^`]*`+|```[\s\S]*?(?:```|$))/)
    .map((part, n) => (n % 2 === 1 ? part : dollars(part)))
    .join("");
}

function dollars(text: string): string {
  const named = text.replace(/\\\[([\s\S]+?)\\\]/g, (_, body: string) => `$$${body}$$`).replace(/\\\(([\s\S]+?)\\\)/g, (_, body: string) => `$${body.trim()}$`);
  let out = "";
  let at = 0;
  const alone = (from: number, to: number) => /(^|\n)[ \t]*$/.test(named.slice(0, from)) && /^[ \t]*(\n|$)/.test(named.slice(to));
  while (at < named.length) {
    const char = named[at]!;
    if (char === "\\") {
      out += named.slice(at, at + 2);
      at += 2;
    } else if (named.startsWith("$$", at)) {
      const end = named.indexOf("$$", at + 2);
      const to = end < 0 ? named.length : end + 2;
      // On a line of its own it is a displayed formula, which the parser knows by lines of dollars only.
      out += end > 0 && alone(at, to) ? `$$\n${named.slice(at + 2, end).trim()}\n$$` : named.slice(at, to);
      at = to;
    } else if (char === "$") {
      const closing = /^\$(?!\s)((?:\\.|[^$\\\n]|\n(?!\s*\n))*?[^\s\\$])\$(?!\d)/.exec(named.slice(at));
      if (closing) {
        out += closing[0];
        at += closing[0].length;
      } else {
        out += "\\$";
        at++;
      }
    } else {
      out += char;
      at++;
    }
  }
  return out;
}

export const hasMath = (text: string): boolean => /\$|\\[([]/.test(text);
