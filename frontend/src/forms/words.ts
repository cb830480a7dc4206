import type { TFunction } from "i18next";
import type { Fault } from "./faults";

/** A name as a person reads it: "save_as", "saveAs" and "save-as" become "Save as". */
export function humanise(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[\s_\-.]+/)
    .filter(Boolean)
    .map((word) => (/^\p{Lu}{2,}\d*$/u.test(word) ? word : word.toLowerCase()));
  const text = words.join(" ");
  return text === "" ? name : text[0]!.toUpperCase() + text.slice(1);
}

/** "items[2].name", as the core writes a place, as steps. */
export function stepsOf(place: string): (string | number)[] {
  if (place === "" || place === "arguments") return [];
  return [...place.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map((match) => (match[1] !== undefined ? Number(match[1]) : match[2]!));
}

const formats: Record<string, "formatDate" | "formatDateTime" | "formatEmail" | "formatUri"> = { date: "formatDate", "date-time": "formatDateTime", email: "formatEmail", uri: "formatUri", "uri-reference": "formatUri" };
const types = ["array", "boolean", "integer", "null", "number", "object", "string"] as const;

/** A fault in words. */
export function wordsFor(fault: Fault, t: TFunction<"forms">): string {
  const { limit } = fault;
  const value = typeof limit === "string" ? limit : (JSON.stringify(limit) ?? "");
  switch (fault.rule) {
    case "required":
    case "additionalProperties":
    case "shape":
    case "uniqueItems":
    case "enum":
    case "dependentRequired":
      return t(`fault.${fault.rule}`);
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
    case "multipleOf":
    case "pattern":
    case "const":
      return t(`fault.${fault.rule}`, { value });
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
      return t(`fault.${fault.rule}`, { count: Number(limit) });
    case "format":
      return t(`fault.${formats[value] ?? "format"}`);
    case "type": {
      const wanted = (Array.isArray(limit) ? limit : [limit]).find((type) => type !== "null");
      const known = types.find((type) => type === wanted);
      return t(known ? `fault.${known}` : "fault.other");
    }
    default:
      return t("fault.other");
  }
}

/** Names of properties that hold a longer text. */
const longNames = /^(text|content|contents|body|message|prompt|markdown|html|code|source|input|query|notes?|description)$/i;

/** Whether a text is likely to have more than one line. */
export function isLong(name: string, schema: { maxLength?: unknown; format?: unknown; pattern?: unknown; contentMediaType?: unknown }): boolean {
  if (schema.format !== undefined || schema.pattern !== undefined) return false;
  if (typeof schema.maxLength === "number") return schema.maxLength > 200;
  return longNames.test(name) || schema.contentMediaType !== undefined;
}

/** Whether a text should not be read over a shoulder. */
export const isSecret = (name: string, schema: { format?: unknown; writeOnly?: unknown }): boolean =>
  schema.format === "password" || schema.writeOnly === true || /(^|[_-])(password|passphrase|secret|token|api[_-]?key)$/i.test(name) || /(Password|Secret|Token|ApiKey)$/.test(name);
