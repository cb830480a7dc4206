import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { draw } from "../../test/render";
import { ToolForm } from ".";
import { drawable } from "./drawable";

const examples = resolve(import.meta.dirname, "../../../testdata/loca");
const tools = readdirSync(examples).flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(join(examples, folder, "loca.json"), "utf8")) as { tools: { name: string; parameters: unknown }[] };
  return manifest.tools.map((tool) => [`${folder}/${tool.name}`, tool.parameters] as const);
});

describe("the form of every example", () => {
  it.each(tools)("%s is drawn, and its button either runs it or says what is missing", async (_, schema) => {
    const complained = vi.spyOn(console, "error");
    const submitted = vi.fn();
    const { person, container } = draw(<ToolForm schema={schema} onSubmit={submitted} />);
    await person.click(screen.getByRole("button", { name: "Run" }));
    const faults = container.querySelectorAll("[class*=fault]:not(:empty)").length;
    expect(submitted.mock.calls.length > 0 || faults > 0).toBe(true);
    expect(complained.mock.calls.map((call) => String(call[0]).slice(0, 200))).toEqual([]);
    complained.mockRestore();
  });
});

describe("what the form library can't read", () => {
  it.each([
    ["a reference that leads nowhere", { a: { $ref: "#/$defs/none" } }, {}],
    ["a reference that leads out", { a: { $ref: "https://example.com/x.json" } }, {}],
    ["a schema that says nothing", { a: {} }, {}],
    ["a schema that is true", { a: true }, {}],
  ])("%s is a value of any shape", async (_, properties, more) => {
    const submitted = vi.fn();
    const { person } = draw(<ToolForm schema={{ type: "object", properties, ...more }} onSubmit={submitted} />);
    await person.click(screen.getByRole("textbox", { name: "A" }));
    await person.paste("[1]");
    await person.click(screen.getByRole("button", { name: "Run" }));
    expect(submitted).toHaveBeenCalledWith({ a: [1] });
  });

  it.each([
    ["an anchor", { $ref: "#note" }, { note: { $anchor: "note", type: "integer" } }],
    ["an anchor of draft-07", { $ref: "#note" }, { note: { $id: "#note", type: "integer" } }],
    ["an id", { $ref: "https://example.com/note" }, { note: { $id: "https://example.com/note", type: "integer" } }],
    ["a dynamic anchor", { $dynamicRef: "#note" }, { note: { $dynamicAnchor: "note", type: "integer" } }],
  ])("a reference to %s is followed", async (_, a, $defs) => {
    const submitted = vi.fn();
    const { person } = draw(<ToolForm schema={{ type: "object", properties: { a }, $defs }} onSubmit={submitted} />);
    await person.type(screen.getByRole("textbox", { name: "A" }), "7");
    await person.click(screen.getByRole("button", { name: "Run" }));
    expect(submitted).toHaveBeenCalledWith({ a: 7 });
  });
});

describe("names that are keywords too", () => {
  it("stay names", () => {
    const schema = { type: "object", properties: { $ref: { type: "string" }, default: { type: "string", default: "x" }, $id: { enum: [{ $ref: "#x" }] } } };
    expect(drawable(schema)).toEqual(schema);
  });
});

describe("a schema that can't be drawn at all", () => {
  it("is asked for as JSON, and says when it is none", async () => {
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const submitted = vi.fn();
    const { person } = draw(<ToolForm schema={schema} onSubmit={submitted} />);
    const box = screen.getByRole("textbox", { name: "Arguments" });
    await person.clear(box);
    await person.paste("{");
    await person.click(screen.getByRole("button", { name: "Run" }));
    expect(screen.getByText("This is not valid JSON.")).toBeTruthy();
    await person.clear(box);
    await person.paste('{"a":"x"}');
    await person.click(screen.getByRole("button", { name: "Run" }));
    expect(submitted).toHaveBeenCalledWith({ a: "x" });
    vi.restoreAllMocks();
  });
});
