import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { formatsOf, languageOf, placesOf, problemText, riskText, setupI18n } from ".";
import { en, es } from "./resources";
import problems from "./es/problems.json";

type Tree = { [key: string]: string | string[] | Tree };

function flat(tree: Tree, before = ""): Map<string, string> {
  const all = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === "string" || Array.isArray(value)) all.set(before + key, [value].flat().join("\n"));
    else for (const [inner, text] of flat(value, `${before}${key}.`)) all.set(inner, text);
  }
  return all;
}

const plural = /_(zero|one|two|few|many|other)$/;
const namespaces = Object.keys(en).filter((name) => name !== "problems") as (keyof typeof en)[];

describe.each(namespaces)("the words of %s", (name) => {
  const english = flat(en[name] as Tree);
  const spanish = flat(es[name] as Tree);
  const stems = (keys: Iterable<string>) => [...new Set([...keys].map((key) => key.replace(plural, "")))].sort();

  it("have the same keys in both languages", () => {
    expect(stems(spanish.keys())).toEqual(stems(english.keys()));
  });

  it("name the same places in both languages", () => {
    for (const [key, text] of english) {
      const other = spanish.get(key);
      if (other !== undefined && !key.endsWith("_one")) expect({ key, places: [...new Set(placesOf(other))].sort() }).toEqual({ key, places: [...new Set(placesOf(text))].sort() });
    }
  });

  it.each([["en", english], ["es", spanish]] as const)("have every plural that %s has", (language, words) => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const key of words.keys()) if (plural.test(key)) for (const category of categories) expect(words.has(key.replace(plural, `_${category}`)), `${key} lacks ${category}`).toBe(true);
  });

  it("are never empty, and never left in English by mistake", () => {
    for (const [key, text] of spanish) {
      expect(text.trim(), key).not.toBe("");
      if (text.split(" ").length > 3) expect(text, key).not.toBe(english.get(key));
    }
  });
});

/** Every Problem that Go code makes: its code, and the names of its parameters by call. */
function problemsInGo(): Map<string, Set<string>[]> {
  const root = resolve(import.meta.dirname, "../../..");
  const found = new Map<string, Set<string>[]>();
  const add = (code: string, params: Set<string>) => found.set(code, [...(found.get(code) ?? []), params]);
  for (const top of ["backend", "app"]) {
    for (const file of readdirSync(join(root, top), { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".go") || file.endsWith("_test.go")) continue;
      const text = readFileSync(join(root, top, file), "utf8");
      for (const match of text.matchAll(/NewProblem\("([a-z]+\.[a-z-]+)"/g)) {
        // Places in the English text are among the parameters, and those are what a translation may use.
        const call = text.slice(match.index, match.index + 900).split(/\n\t*(?:return|if|}|func)\b/)[0]!;
        add(match[1]!, new Set([...call.matchAll(/"([a-z]\w*)", ?\S/g)].map((param) => param[1]!)));
      }
      for (const match of text.matchAll(/AsProblem\([^"]*"([a-z]+\.[a-z-]+)"/g)) add(match[1]!, new Set());
      for (const match of text.matchAll(/\bcode(?:, \w+)? :?= "([a-z]+\.[a-z-]+)"/g)) add(match[1]!, new Set());
    }
  }
  return found;
}

/** Made by the window itself. */
const ofTheWindow = ["app.connection-lost"];

describe("problems", () => {
  const inGo = problemsInGo();
  const spanish = flat(problems as Tree);
  const codes = new Set([...spanish.keys()].map((key) => key.replace(/\.(what|next)$/, "")));

  it("are found in the sources", () => expect(inGo.size).toBeGreaterThan(90));

  it("of the core all have Spanish words", () => {
    expect([...inGo.keys()].filter((code) => !codes.has(code))).toEqual([]);
  });

  it("in Spanish are all ones that the core can have", () => {
    expect([...codes].filter((code) => !inGo.has(code) && !ofTheWindow.includes(code))).toEqual([]);
  });
});

describe("a problem's text", () => {
  it("is the core's own in English", () => {
    setupI18n("en");
    expect(problemText({ code: "extension.missing", what: "x isn't installed.", next: "Look.", params: { id: "x" } })).toEqual({ what: "x isn't installed.", where: "", next: "Look." });
  });

  it("is Spanish with its places filled", () => {
    setupI18n("es");
    expect(problemText({ code: "extension.missing", what: "x isn't installed.", params: { id: "x" } }).what).toBe("x no está instalada.");
  });

  it("takes the way of saying it that fits what is known", () => {
    setupI18n("es");
    expect(problemText({ code: "tool.missing", what: "-", params: { tool: "sum" } }).what).toBe("No hay ninguna herramienta sum que se pueda ejecutar aquí.");
  });

  it("stays the tool's own where a tool said it", () => {
    setupI18n("es");
    expect(problemText({ code: "call.failed", what: "No rows in the sheet." }).what).toBe("No rows in the sheet.");
  });

  it("takes a value as it is, places and references in it too", () => {
    setupI18n("es");
    expect(problemText({ code: "extension.missing", what: "-", params: { id: "{id}$t(common:close)" } }).what).toBe("{id}$t(common:close) no está instalada.");
  });

  it("adds no next step where the core has none", () => {
    setupI18n("es");
    expect(problemText({ code: "extension.missing", what: "x", params: { id: "x" } }).next).toBe("");
  });
});

describe("risks", () => {
  it("that the core names all have words", () => {
    const source = readFileSync(resolve(import.meta.dirname, "../../../backend/grant/places.go"), "utf8");
    const codes = [...source.matchAll(/Risk\{"([a-z-]+)"/g)].map((match) => match[1]!);
    expect(codes.length).toBeGreaterThan(10);
    for (const language of ["en", "es"]) {
      setupI18n(language);
      for (const code of codes) expect(riskText(code), `${language} ${code}`).not.toBe(code);
    }
  });
});

describe("the language", () => {
  it.each([
    ["system", ["es-MX", "en"], "es"],
    ["system", ["es_ES"], "es"],
    ["system", ["fr-FR", "es"], "es"],
    ["system", ["fr-FR"], "en"],
    ["system", [], "en"],
    ["en", ["es"], "en"],
    ["es", ["en"], "es"],
  ] as const)("for the setting %s on a system that speaks %j is %s", (setting, locales, expected) => {
    expect(languageOf(setting, locales)).toBe(expected);
  });
});

describe("formats", () => {
  const english = formatsOf("en");
  const spanish = formatsOf("es");
  it.each([[0, "0 B"], [820, "820 B"], [1000, "1 kB"], [1240, "1.2 kB"], [38_214, "38 kB"], [2_300_000, "2.3 MB"], [5e15, "5,000 TB"]])("write %d bytes as %s", (bytes, text) => expect(english.bytes(bytes)).toBe(text));
  it("write durations in the unit that fits", () => {
    expect(english.duration(42)).toBe("42 ms");
    expect(english.duration(1234)).toBe("1.2 sec");
    expect(english.duration(125_000)).toBe("2 min 5 sec");
  });
  it("say how long ago in the language", () => {
    const now = Date.parse("2026-03-31T12:00:00Z");
    expect(english.ago("2026-03-31T11:58:00Z", now)).toBe("2 minutes ago");
    expect(spanish.ago("2026-03-30T12:00:00Z", now)).toBe("ayer");
    expect(english.ago("2026-03-31T11:59:50Z", now)).toBe("now");
    expect(english.ago("nonsense", now)).toBe("");
  });
  it("write numbers as the language does", () => {
    expect(english.number(18_204)).toBe("18,204");
    expect(spanish.number(18_204)).toBe("18.204");
  });
});
