import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { draw } from "../../test/render";
import { ToolForm, humanise } from ".";
import { faultsOf, type JsonSchema } from "./faults";
import { instantOf, localOf } from "./widgets";
import { isLong, isSecret, stepsOf } from "./words";

const object = (properties: Record<string, unknown>, required: string[] = [], more: JsonSchema = {}): JsonSchema => ({ type: "object", properties, required, ...more });

function form(schema: unknown, props: Partial<Parameters<typeof ToolForm>[0]> = {}, language = "en") {
  const submitted = vi.fn();
  const drawn = draw(<ToolForm schema={schema} onSubmit={submitted} {...props} />, {}, {}, language);
  const run = () => drawn.person.click(screen.getByRole("button", { name: language === "es" ? "Ejecutar" : "Run" }));
  return { ...drawn, submitted, run };
}

describe("a name", () => {
  it.each([["save_as", "Save as"], ["saveAs", "Save as"], ["max-items", "Max items"], ["HTTPPort", "HTTP port"], ["url", "Url"], ["page2Title", "Page2 title"], ["_", "_"], ["ñandú", "Ñandú"]])("%s is read as %s", (name, read) => expect(humanise(name)).toBe(read));
});

describe("a place of the core", () => {
  it.each([["items[2].name", ["items", 2, "name"]], ["text", ["text"]], ["arguments", []], ["", []], ["a[0][1]", ["a", 0, 1]]])("%s is a path", (place, steps) => expect(stepsOf(place)).toEqual(steps));
});

describe("which texts are long or secret", () => {
  it("goes by name and by schema", () => {
    expect(isLong("text", {})).toBe(true);
    expect(isLong("text", { maxLength: 40 })).toBe(false);
    expect(isLong("title", { maxLength: 2000 })).toBe(true);
    expect(isLong("query", { format: "uri" })).toBe(false);
    expect(isSecret("api_key", {})).toBe(true);
    expect(isSecret("githubToken", {})).toBe(true);
    expect(isSecret("keyboard", {})).toBe(false);
    expect(isSecret("note", { writeOnly: true })).toBe(true);
  });
});

describe("faults", () => {
  it.each<[string, JsonSchema, unknown, unknown[]]>([
    ["a missing field", object({ a: { type: "string" } }, ["a"]), {}, [{ path: ["a"], rule: "required" }]],
    ["a field missing in an item", object({ list: { type: "array", items: object({ n: { type: "string" } }, ["n"]) } }), { list: [{ n: "x" }, {}] }, [{ path: ["list", 1, "n"], rule: "required" }]],
    ["a bound", object({ n: { type: "integer", minimum: 3 } }), { n: 2 }, [{ path: ["n"], rule: "minimum", limit: 3 }]],
    ["a bound behind a reference", object({ n: { $ref: "#/$defs/small" } }, [], { $defs: { small: { type: "integer", maximum: 9 } } }), { n: 10 }, [{ path: ["n"], rule: "maximum", limit: 9 }]],
    ["the nearest of several shapes", object({ to: { anyOf: [object({ mail: { type: "string" } }, ["mail"]), { type: "null" }] } }), { to: {} }, [{ path: ["to", "mail"], rule: "required" }]],
    ["no shape at all", object({ to: { anyOf: [{ type: "number" }, { type: "null" }] } }), { to: "x" }, [{ path: ["to"], rule: "shape" }]],
    ["what is not asked for", object({}, [], { additionalProperties: false }), { x: 1 }, [{ path: ["x"], rule: "additionalProperties" }]],
    ["an old draft", { $schema: "http://json-schema.org/draft-07/schema#", ...object({ a: { type: "string", minLength: 2 } }) }, { a: "x" }, [{ path: ["a"], rule: "minLength", limit: 2 }]],
    ["a pattern that this engine can't read", object({ a: { type: "string", pattern: "(" } }), { a: "x" }, []],
    ["a reference that leads nowhere", object({ a: { $ref: "#/$defs/none" } }), { a: 1 }, []],
    ["a name with a slash", object({ "a/b": { type: "string" } }, ["a/b"]), { "a/b": 1 }, [{ path: ["a/b"], rule: "type", limit: "string" }]],
  ])("of %s are found where they can be mended", (_, schema, value, expected) => expect(faultsOf(schema, value)).toEqual(expected.map((one) => expect.objectContaining(one as object))));

  it("leave the schema as it was", () => {
    const schema = object({ a: { type: "string" } });
    const before = JSON.stringify(schema);
    faultsOf(schema, { a: 1 });
    expect(JSON.stringify(schema)).toBe(before);
  });
});

describe("a form", () => {
  it("gives one text as it was typed, and runs with Control and Enter", async () => {
    const { person, submitted } = form(object({ text: { type: "string", description: "The text to measure." } }, ["text"]));
    const box = screen.getByRole("textbox", { name: "Text" });
    expect(box.tagName).toBe("TEXTAREA");
    expect(screen.getByText("required")).toBeTruthy();
    await person.type(box, "one two{enter}three");
    await person.keyboard("{Control>}{Enter}{/Control}");
    expect(submitted).toHaveBeenCalledWith({ text: "one two\nthree" });
  });

  it("says in the person's language what is missing, and stops saying it when it is there", async () => {
    const { person, submitted, run } = form(object({ path: { type: "string" } }, ["path"]), {}, "es");
    await run();
    expect(screen.getByText("Hace falta.")).toBeTruthy();
    expect(submitted).not.toHaveBeenCalled();
    await person.type(screen.getByRole("textbox", { name: "Path" }), "x");
    await waitFor(() => expect(screen.queryByText("Hace falta.")).toBeNull());
    await run();
    expect(submitted).toHaveBeenCalledWith({ path: "x" });
  });

  it("fills the author's defaults, at every depth", async () => {
    const { submitted, run } = form(object({ style: { enum: ["gentle", "thorough"], default: "gentle" }, keep: { type: "boolean", default: true }, limit: { type: "integer", default: 5 }, more: object({ deep: { type: "string", default: "x" } }) }));
    await run();
    expect(submitted).toHaveBeenCalledWith({ style: "gentle", keep: true, limit: 5, more: { deep: "x" } });
  });

  it("leaves out what the person left empty", async () => {
    const { submitted, run } = form(object({ a: { type: "string" }, n: { type: "number" }, list: { type: "array", items: { type: "string" } }, group: object({ x: { type: "string" } }) }));
    await run();
    const args = submitted.mock.calls[0]![0] as Record<string, unknown>;
    expect(args.a).toBeUndefined();
    expect(args.n).toBeUndefined();
    expect(Object.keys(JSON.parse(JSON.stringify(args)) as object).filter((key) => key !== "list" && key !== "group")).toEqual([]);
  });

  it("asks for nothing within a group that is optional and was left alone", async () => {
    const { submitted, run, person } = form(object({ to: { oneOf: [object({ name: { type: "string" } }, ["name"]), object({ mail: { type: "string" } }, ["mail"])] }, place: object({ city: { type: "string" } }, ["city"]), pairs: { type: "array", minItems: 2, items: { type: "string" } } }));
    await run();
    expect(submitted).toHaveBeenCalledOnce();
    expect(JSON.parse(JSON.stringify(submitted.mock.calls[0]![0]))).toEqual({});
    const city = screen.getByRole("textbox", { name: "City" });
    await person.type(city, "x");
    await person.clear(city);
    await run();
    expect(JSON.parse(JSON.stringify(submitted.mock.lastCall![0]))).toEqual({});
  });

  it("gives numbers as numbers, and says when they are none or out of bounds", async () => {
    const { person, submitted, run } = form(object({ n: { type: "integer", minimum: 3 } }, ["n"]));
    const box = screen.getByRole("textbox", { name: "N" });
    await person.type(box, "two");
    await run();
    expect(screen.getByText("This must be a whole number.")).toBeTruthy();
    await person.clear(box);
    await person.type(box, "2");
    expect(await screen.findByText("This must be at least 3.")).toBeTruthy();
    await person.clear(box);
    await person.type(box, "12");
    await run();
    expect(submitted).toHaveBeenCalledWith({ n: 12 });
  });

  it("offers few values side by side and many in a list, of any type", async () => {
    const { person, submitted, run } = form(object({ size: { enum: [1, 2, "all"] }, zone: { enum: ["utc", "lisbon", "madrid", "paris", "rome"] } }));
    await person.click(screen.getByRole("radio", { name: "2" }));
    expect(screen.getByRole("combobox", { name: "Zone" })).toBeTruthy();
    await run();
    expect(submitted.mock.calls[0]![0]).toMatchObject({ size: 2 });
  });

  it("adds, moves and removes items of a list", async () => {
    const { person, submitted, run } = form(object({ names: { type: "array", items: { type: "string" } } }));
    await person.click(screen.getByRole("button", { name: "Add" }));
    await person.type(screen.getByRole("textbox", { name: "Item 1" }), "ana");
    await person.click(screen.getByRole("button", { name: "Add" }));
    await person.type(screen.getByRole("textbox", { name: "Item 2" }), "leo");
    await person.click(screen.getAllByRole("button", { name: "Move up" })[1]!);
    await run();
    expect(submitted).toHaveBeenLastCalledWith({ names: ["leo", "ana"] });
    await person.click(screen.getByRole("button", { name: "Remove item 1" }));
    await run();
    expect(submitted).toHaveBeenLastCalledWith({ names: ["ana"] });
  });

  it("draws the shape that was chosen of several", async () => {
    const { person, submitted, run } = form(object({ to: { anyOf: [{ title: "A file", ...object({ name: { type: "string" } }, ["name"]) }, { title: "Nowhere", ...object({ quiet: { type: "boolean" } }) }] } }, ["to"]));
    await person.type(screen.getByRole("textbox", { name: "Name" }), "x.txt");
    await run();
    expect(submitted).toHaveBeenLastCalledWith({ to: { name: "x.txt" } });
    await person.click(screen.getByRole("radio", { name: "Nowhere" }));
    await person.click(screen.getByRole("switch", { name: "Quiet" }));
    await run();
    expect(submitted).toHaveBeenLastCalledWith({ to: { quiet: true } });
  });

  it("follows references, and merges what belongs together", async () => {
    const { person, submitted, run } = form({ $ref: "#/$defs/all", $defs: { all: { allOf: [object({ a: { $ref: "#/$defs/name" } }, ["a"]), object({ b: { type: "boolean" } })] }, name: { type: "string", title: "Your name" } } });
    await person.type(screen.getByRole("textbox", { name: "Your name" }), "Ana");
    await run();
    expect(submitted.mock.calls[0]![0]).toMatchObject({ a: "Ana" });
  });

  it("takes a value of any shape as JSON", async () => {
    const { person, submitted, run } = form(object({ extra: { description: "Anything." } }));
    await person.click(screen.getByRole("textbox", { name: "Extra" }));
    await person.paste('{"a":[1,2]}');
    await run();
    expect(submitted).toHaveBeenCalledWith({ extra: { a: [1, 2] } });
  });

  it("fills a constant without asking", async () => {
    const { submitted, run } = form(object({ kind: { const: "note" }, text: { type: "string" } }, ["kind"]));
    expect(screen.queryByText("Kind")).toBeNull();
    await run();
    expect(submitted.mock.calls[0]![0]).toMatchObject({ kind: "note" });
  });

  it("hides a secret until it is shown", async () => {
    const { person } = form(object({ api_key: { type: "string" } }));
    const box = screen.getByLabelText("Api key");
    expect(box.getAttribute("type")).toBe("password");
    await person.click(screen.getByRole("button", { name: "Show" }));
    expect(box.getAttribute("type")).toBe("text");
  });

  it("lets a person name fields of their own where the tool takes any", async () => {
    const { person, submitted, run } = form(object({ headers: { type: "object", additionalProperties: { type: "string" } } }));
    const group = screen.getByRole("group", { name: "Headers" });
    await person.click(within(group).getByRole("button", { name: "Add" }));
    const name = within(group).getByRole("textbox", { name: "Name" });
    await person.clear(name);
    await person.type(name, "Accept");
    await person.tab();
    await person.type(screen.getByRole("textbox", { name: "Accept" }), "text/plain");
    await run();
    expect(submitted).toHaveBeenCalledWith({ headers: { Accept: "text/plain" } });
  });

  it("shows what the core found at the field it names, and the rest below", () => {
    form(object({ text: { type: "string" } }), { problems: [{ place: "text", what: "must be shorter" }, { place: "arguments", what: "fit nothing" }] });
    expect(within(screen.getByRole("textbox", { name: "Text" }).closest("div")!.parentElement!).getByText("must be shorter")).toBeTruthy();
    expect(screen.getByRole("alert").textContent).toContain("fit nothing");
  });

  it.each([[undefined], [null], [true], ["text"], [{}], [{ type: "object" }]])("of a tool without arguments (%j) says so and runs", async (schema) => {
    const { submitted, run } = form(schema);
    expect(screen.getByText("It needs nothing from you.")).toBeTruthy();
    await run();
    expect(submitted).toHaveBeenCalledWith({});
  });

  it("does not run twice while it runs", async () => {
    const { submitted, run, person } = form(object({}), { busy: true });
    await run();
    await person.keyboard("{Control>}{Enter}{/Control}");
    expect(submitted).not.toHaveBeenCalled();
  });

  it("makes no code from text, which the page's policy forbids", async () => {
    const made = vi.spyOn(globalThis, "Function");
    const { run } = form(object({ a: { type: "string", pattern: "^a" }, b: { anyOf: [{ type: "string" }, { type: "number" }] } }, ["a"]));
    await run();
    await act(async () => undefined);
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });
});

describe("a date with a time", () => {
  it("is local in the picker and an instant in the arguments", () => {
    const local = localOf("2026-03-31T09:30:00Z");
    expect(local).toMatch(/^2026-03-3\dT\d\d:\d\d$/);
    expect(instantOf(local)).toBe("2026-03-31T09:30:00.000Z");
    expect(localOf("soon")).toBe("");
    expect(instantOf("")).toBeUndefined();
  });
});
