import { act, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, describe, expect, it } from "vitest";
import { memoryItems } from "../../../test/fixtures";
import { draw } from "../../../test/render";
import { apply } from "../../host/queries";
import { differs, endsLike, standing, useDrafts, type Draft } from "./drafts";
import { withoutFront } from "./editor";
import { listed, MemoriesPage } from "./list";

function Page({ first }: { first?: string }) {
  const [chosen, setChosen] = useState(first);
  return <MemoriesPage chosen={chosen} onChoose={setChosen} />;
}
const car = "knowledge/Car.md";
const open = (first?: string, ...rest: [Parameters<typeof draw>[1]?, Parameters<typeof draw>[2]?]) => draw(<Page first={first} />, ...rest);
const text = () => screen.findByRole("textbox", { name: "Text of Car" });

beforeEach(() => {
  localStorage.clear();
  useDrafts.setState({ drafts: {} });
});

describe("a draft", () => {
  const draft = (content: string, title = "Car", from = { title: "Car", content: "a\r\nb" }): Draft => ({ title, kind: "knowledge", content, from });
  it.each([["a\nb", "Car", false], ["a\nc", "Car", true], ["a\nb", "Cars", true]])("%j called %s differs: %s", (content, title, expected) => expect(differs(draft(content, title))).toBe(expected));
  it("of a new memory differs once it has anything", () => {
    expect(differs({ title: " ", kind: "skill", content: "" })).toBe(false);
    expect(differs({ title: "x", kind: "skill", content: "" })).toBe(true);
  });
  it.each([["a\r\nb", "on it"], ["mine", "same"], ["another", "changed"], [undefined, "gone"]] as const)("where the file says %j stands: %s", (disk, expected) => expect(standing(draft("mine"), disk)).toBe(expected));
  it("goes into a file with the line ends that the file has", () => {
    expect(endsLike("a\nb", "x\r\ny")).toBe("a\r\nb");
    expect(endsLike("a\nb", "x\ny")).toBe("a\nb");
    expect(endsLike("a\nb", undefined)).toBe("a\nb");
  });
});

describe("the list", () => {
  it("has what was never saved, and what was removed under a change", () => {
    const all = listed(memoryItems.slice(0, 1), { "new-1": { title: "", kind: "skill", content: "x" }, [car]: { title: "Car", kind: "knowledge", content: "y" } });
    expect(all.map((one) => [one.id, one.draft !== undefined])).toEqual([["new-1", true], [car, true]]);
  });

  it("is searched by title, summary and extension", async () => {
    const { person } = open(car);
    const search = await screen.findByRole("searchbox", { name: "Search memories" });
    await person.type(search, "letter family");
    expect(screen.getByRole("button", { name: "weekly-letter" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "rank-jokes" })).toBeNull();
    await person.clear(search);
    await person.type(search, "jokebook");
    expect(screen.getByRole("button", { name: "rank-jokes" })).toBeTruthy();
  });

  it("says what memories are when there are none, and begins one", async () => {
    const { person } = open(undefined, { memories: { items: [], folder: "/m", watching: true } });
    await person.click(await screen.findByRole("button", { name: "New knowledge" }));
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Title" }));
  });

  it("switches one off", async () => {
    const { person, asked } = open();
    await person.click(await screen.findByRole("switch", { name: "Car, on or off" }));
    expect(asked("memories.setEnabled")).toEqual([{ id: car, enabled: false }]);
    await waitFor(() => expect(screen.getByRole("switch", { name: "Car, on or off" }).getAttribute("aria-checked")).toBe("false"));
  });
});

describe("the editor", () => {
  it("saves with the keyboard, on the text that the change was made on", async () => {
    const { person, asked } = open(car);
    const area = await text();
    const before = (area as HTMLTextAreaElement).value;
    await person.clear(area);
    await person.type(area, "Sold.");
    expect(screen.getByText("not saved")).toBeTruthy();
    await person.keyboard("{Control>}s{/Control}");
    expect(await screen.findByText("Everything is saved.")).toBeTruthy();
    expect(asked("memories.save")).toEqual([{ id: car, title: "Car", kind: "knowledge", content: "Sold.", before }]);
    expect(useDrafts.getState().drafts).toEqual({});
  });

  it("keeps a change when another memory is looked at, and when the window goes", async () => {
    const { person } = open(car);
    await person.type(await text(), "!");
    await person.click(screen.getByRole("button", { name: "weekly-letter" }));
    await screen.findByRole("textbox", { name: "Text of weekly-letter" });
    expect(JSON.parse(localStorage.getItem("portico.memories.drafts")!)[car].content).toMatch(/!$/);
    await person.click(screen.getByRole("button", { name: "Car" }));
    expect(((await text()) as HTMLTextAreaElement).value).toMatch(/!$/);
  });

  it("has nothing to save once the change is taken back by hand", async () => {
    const { person } = open(car);
    await person.type(await text(), "!");
    await person.keyboard("{Backspace}");
    expect(await screen.findByText("Everything is saved.")).toBeTruthy();
    expect(useDrafts.getState().drafts).toEqual({});
  });

  it("renames, and goes on with the memory under its new name", async () => {
    const { person } = open(car);
    const title = await screen.findByRole("textbox", { name: "Title" });
    await person.clear(title);
    await person.type(title, "Old car");
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByRole("textbox", { name: "Text of Old car" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Car" })).toBeNull();
  });

  const elsewhere = async (content: string | undefined) => {
    const drawn = open(car);
    await drawn.person.type(await text(), " Mine.");
    const { core } = drawn;
    if (content === undefined) core.state.memories = { ...core.state.memories, items: (core.state.memories.items ?? []).filter((item) => item.id !== car) };
    else core.state.memoryTexts = { ...core.state.memoryTexts, [car]: content };
    await act(async () => apply(drawn.client, [{ topic: "memories", payload: {} }]));
    return drawn;
  };

  it("says when the file was changed meanwhile, and overwrites it only when told to", async () => {
    const { person, asked } = await elsewhere("Theirs.");
    expect(await screen.findByText("Car was changed on disk meanwhile")).toBeTruthy();
    expect((screen.getByRole("button", { name: "Save" }) as HTMLButtonElement).disabled).toBe(true);
    await person.keyboard("{Control>}s{/Control}");
    expect(asked("memories.save")).toEqual([]);
    await person.click(screen.getByRole("button", { name: "See the difference" }));
    expect(await screen.findByRole("figure", { name: "From the file to your text" })).toBeTruthy();
    await person.click(screen.getByRole("button", { name: "Go on with mine" }));
    await person.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked("memories.save")).toEqual([expect.objectContaining({ before: "Theirs.", content: expect.stringMatching(/ Mine\.$/) })]));
  });

  it("takes the file's text, which can be undone", async () => {
    const { person } = await elsewhere("Theirs.");
    await person.click(await screen.findByRole("button", { name: "Take the file's" }));
    expect(((await text()) as HTMLTextAreaElement).value).toBe("Theirs.");
    await person.click(screen.getByRole("button", { name: "Undo" }));
    expect(((await text()) as HTMLTextAreaElement).value).toMatch(/ Mine\.$/);
  });

  it("keeps the text of a file that was removed, and makes it a file again", async () => {
    const { person, asked } = await elsewhere(undefined);
    expect(await screen.findByText("Car was removed from the disk meanwhile")).toBeTruthy();
    await person.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked("memories.save")).toEqual([{ title: "Car", kind: "knowledge", content: expect.stringMatching(/ Mine\.$/) }]));
    await waitFor(() => expect(screen.queryByText("Car was removed from the disk meanwhile")).toBeNull());
  });

  it("follows the file where nothing was changed here", async () => {
    const { core, client } = open(car);
    await text();
    core.state.memoryTexts = { ...core.state.memoryTexts, [car]: "Theirs." };
    await act(async () => apply(client, [{ topic: "memories", payload: {} }]));
    await waitFor(async () => expect(((await text()) as HTMLTextAreaElement).value).toBe("Theirs."));
  });

  it("removes with an undo", async () => {
    const { person, asked } = open(car);
    await person.click(await screen.findByRole("button", { name: "More for Car" }));
    await person.click(screen.getByRole("menuitem", { name: "Remove" }));
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(asked("memories.restore")).toEqual([{ undo: "1-A" }]));
  });

  it("only shows what belongs to an extension, and copies it into one of mine", async () => {
    const { person } = open("agent:loca::loca-extension-jokebook/skills/rank-jokes");
    expect(await screen.findByText("It belongs to Jokebook and is only read here.")).toBeTruthy();
    expect(screen.queryByRole("textbox", { name: "Title" })).toBeNull();
    await person.click(screen.getByRole("button", { name: "Copy into one of mine" }));
    expect(((await screen.findByRole("textbox", { name: "Title" })) as HTMLInputElement).value).toBe("rank-jokes");
    expect(screen.getByRole("button", { name: "Save" })).toBeTruthy();
  });

  it("says what is wrong with a file that cannot be read", async () => {
    open("knowledge/scan.md");
    expect(await screen.findByText("scan.md is no text in UTF-8.")).toBeTruthy();
  });

  it("says so when the memory is not there any more", async () => {
    open("knowledge/nothing.md");
    expect(await screen.findByText("This memory is not there any more")).toBeTruthy();
  });

  it("reads a skill without its head", () => expect(withoutFront("---\nname: a\n---\n\nText\n---\n")).toBe("\nText\n---\n"));
});
