import { Validator, type OutputUnit, type Schema } from "@cfworker/json-schema";

/** One thing that does not fit: where, and which rule, so that it can be said in the person's language. */
export interface Fault {
  path: (string | number)[];
  rule: string;
  /** The rule's own value: the minimum, the pattern. */
  limit?: unknown;
}

export type JsonSchema = Record<string, unknown>;

/** Rules that only say that something within them does not fit. */
const containers = new Set(["properties", "patternProperties", "items", "prefixItems", "additionalItems", "allOf", "$ref", "$recursiveRef", "$dynamicRef", "if", "then", "else", "dependentSchemas", "dependencies", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains", "propertyNames"]);

const validators = new WeakMap<object, Validator | null>();

/** The validator marks the schema it is given, so it gets a copy; one that can't be read checks nothing: the core does. */
function validatorOf(schema: JsonSchema): Validator | null {
  let known = validators.get(schema);
  if (known === undefined) {
    try {
      const draft = typeof schema.$schema === "string" && /draft-0?[467]/.test(schema.$schema) ? "7" : "2020-12";
      known = new Validator(structuredClone(schema) as Schema, draft, false);
    } catch {
      known = null;
    }
    validators.set(schema, known);
  }
  return known;
}

/** What does not fit, by the place where a person can mend it. The core checks again, to the letter; this is the first word. */
export function faultsOf(schema: JsonSchema, value: unknown): Fault[] {
  const plain = value === undefined ? {} : (JSON.parse(JSON.stringify(value)) as unknown);
  let units: OutputUnit[];
  try {
    units = validatorOf(schema)?.validate(plain).errors ?? [];
  } catch {
    return []; // a pattern this engine can't read, a reference that leads nowhere
  }
  const faults: Fault[] = [];
  for (const unit of leaves(units)) {
    const path = pathOf(unit.instanceLocation, plain);
    if (unit.keyword === "required") {
      for (const missing of missingOf(schema, unit, plain, path)) faults.push({ path: [...path, missing], rule: "required" });
    } else if (unit.keyword === "false") {
      faults.push({ path, rule: "additionalProperties" });
    } else if (unit.keyword === "anyOf" || unit.keyword === "oneOf") {
      faults.push({ path, rule: "shape" });
    } else {
      faults.push({ path, rule: unit.keyword, limit: at(schema, unit.keywordLocation) });
    }
  }
  const seen = new Set<string>();
  return faults.filter((fault) => {
    const key = JSON.stringify([fault.path, fault.rule]);
    return !seen.has(key) && seen.add(key);
  });
}

/** Leaves out the containers, and of alternatives all but the one that fits best. */
function leaves(units: OutputUnit[]): OutputUnit[] {
  const kept = units.filter((unit) => !containers.has(unit.keyword));
  const choices = kept.filter((unit) => unit.keyword === "anyOf" || unit.keyword === "oneOf");
  let left = kept;
  for (const choice of choices) {
    const branches = new Map<string, OutputUnit[]>();
    for (const unit of kept) {
      if (unit === choice || !unit.keywordLocation.startsWith(`${choice.keywordLocation}/`)) continue;
      const branch = unit.keywordLocation.slice(choice.keywordLocation.length + 1).split("/")[0]!;
      branches.set(branch, [...(branches.get(branch) ?? []), unit]);
    }
    if (branches.size === 0) continue;
    const ofWrongType = (branch: OutputUnit[]) => branch.some((unit) => unit.keyword === "type" && unit.instanceLocation === choice.instanceLocation);
    const best = [...branches.values()].filter((branch) => !ofWrongType(branch)).sort((a, b) => a.length - b.length)[0];
    const dropped = new Set([...branches.values()].flat());
    for (const unit of best ?? []) dropped.delete(unit);
    if (best) dropped.add(choice);
    left = left.filter((unit) => !dropped.has(unit));
  }
  return left;
}

const decode = (part: string): string => {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // a name with a percent sign of its own
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
};

const partsOf = (pointer: string): string[] => pointer.replace(/^#\/?/, "").split("/").filter(Boolean).map(decode);

function pathOf(pointer: string, value: unknown): (string | number)[] {
  let here = value;
  return partsOf(pointer).map((part) => {
    const step = Array.isArray(here) ? Number(part) : part;
    here = (here as Record<string | number, unknown> | undefined)?.[step];
    return step;
  });
}

/** Follows a location through the schema, through its references too. */
function at(schema: JsonSchema, pointer: string): unknown {
  let here: unknown = schema;
  for (const part of partsOf(pointer)) {
    if (typeof here !== "object" || here === null) return undefined;
    const next: unknown = (here as JsonSchema)[part];
    here = part === "$ref" && typeof next === "string" && next.startsWith("#") ? at(schema, next) : next;
  }
  return here;
}

function missingOf(schema: JsonSchema, unit: OutputUnit, value: unknown, path: (string | number)[]): string[] {
  const wanted = at(schema, unit.keywordLocation);
  let here = value;
  for (const step of path) here = (here as Record<string | number, unknown> | undefined)?.[step];
  if (!Array.isArray(wanted) || typeof here !== "object" || here === null) return [];
  return wanted.filter((name): name is string => typeof name === "string" && !(name in here));
}
