/** Values of calls in one line, for who wants to know what went in and came out without reading JSON. Pure. */

/** Characters of a text, and parts of a list or object, that a line shows. */
const longText = 80;
const manyParts = 6;

export interface Part {
  name: string;
  value: string;
}

/** The parts of an object, or the one value that there is. */
export function partsOf(value: unknown): Part[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "object" && !Array.isArray(value)) return Object.entries(value).map(([name, part]) => ({ name, value: short(part) }));
  return [{ name: "", value: short(value) }];
}

export function short(value: unknown): string {
  if (typeof value === "string") return value.length > longText ? `${JSON.stringify(value.slice(0, longText)).slice(0, -1)}…"` : JSON.stringify(value);
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.slice(0, manyParts).map(short).join(", ")}${value.length > manyParts ? ", …" : ""}]`;
  if (value && typeof value === "object") {
    const all = Object.entries(value);
    return `{${all.slice(0, manyParts).map(([name, part]) => `${name}: ${short(part)}`).join(", ")}${all.length > manyParts ? ", …" : ""}}`;
  }
  return String(value);
}

/** Says whether one line shows all there is. */
export function fitsShort(value: unknown): boolean {
  const parts = partsOf(value);
  if (parts.length > manyParts) return false;
  const whole = (part: unknown): boolean => (typeof part === "string" ? part.length <= longText : typeof part !== "object" || part === null);
  return typeof value === "object" && value !== null ? Object.values(value).every(whole) && !Array.isArray(value) : whole(value);
}

/** A value as text to read or copy: a text as it is, anything else as JSON. */
export const full = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
