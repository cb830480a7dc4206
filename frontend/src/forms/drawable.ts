import type { JsonSchema } from "./faults";

const isObject = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null && !Array.isArray(value);

/** Keywords whose value is no schema and holds none, so that names in it are not mistaken for keywords. */
const values = new Set(["enum", "const", "default", "examples", "required", "dependentRequired"]);

/** Keywords that map names of the author's own to schemas. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);

/**
 * The schema as the form library can read it: names of anchors become pointers, what leads nowhere becomes a value of any
 * shape, and so does a schema that says nothing. What it accepts is not wider than what the core does with the original,
 * which checks the arguments again.
 */
export function drawable(schema: JsonSchema): JsonSchema {
  const anchors = anchorsOf(schema);
  return walk(schema, false) as JsonSchema;

  function walk(value: unknown, names: boolean): unknown {
    if (Array.isArray(value)) return value.map((one) => walk(one, false));
    if (value === true && !names) return value;
    if (!isObject(value)) return value;
    const out: JsonSchema = {};
    for (const [key, inner] of Object.entries(value)) {
      if (names) out[key] = shown(walk(inner, false));
      else if (values.has(key)) out[key] = inner;
      else if (key === "$ref" || key === "$dynamicRef" || key === "$recursiveRef") {
        const pointer = typeof inner === "string" ? pointerOf(inner) : undefined;
        if (pointer !== undefined) out.$ref = pointer;
      } else if (key !== "$anchor" && key !== "$dynamicAnchor" && key !== "$id") out[key] = walk(inner, named.has(key));
    }
    return out;
  }

  function pointerOf(ref: string): string | undefined {
    const known = anchors.get(ref);
    if (known !== undefined) return known;
    if (ref !== "#" && !ref.startsWith("#/")) return undefined;
    return reaches(schema, ref) ? ref : undefined;
  }
}

/** A schema that says nothing is drawn all the same: any value fits. */
const shown = (schema: unknown): unknown => (schema === true || (isObject(schema) && Object.keys(schema).length === 0) ? { $comment: "any" } : schema);

/** Every name by which a part of the schema can be referred to, with the pointer to it. */
function anchorsOf(schema: JsonSchema): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (value: unknown, pointer: string, names: boolean): void => {
    if (Array.isArray(value)) return value.forEach((one, n) => visit(one, `${pointer}/${n}`, false));
    if (!isObject(value)) return;
    if (!names) {
      for (const key of ["$anchor", "$dynamicAnchor"]) if (typeof value[key] === "string") found.set(`#${value[key]}`, pointer);
      if (typeof value.$id === "string") found.set(value.$id, pointer); // draft-07 writes an anchor as "$id": "#name"
    }
    for (const [key, inner] of Object.entries(value)) if (names || !values.has(key)) visit(inner, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, !names && named.has(key));
  };
  visit(schema, "#", false);
  return found;
}

function reaches(schema: JsonSchema, pointer: string): boolean {
  let here: unknown = schema;
  for (const part of pointer.split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof here !== "object" || here === null || !(key in here)) return false;
    here = (here as JsonSchema)[key];
  }
  return true;
}
