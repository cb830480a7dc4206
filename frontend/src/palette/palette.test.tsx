import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { fit, Palette } from ".";
import { draw } from "../../test/render";

describe("how well a name fits", () => {
  it("prefers its start, then a word's start, then its middle, then its other words", () => {
    const scores = [["Word count"], ["Count words", "x"], ["Keyword", ""], ["Sum", "word tools"], ["Sum"]].map((words) => fit("", "word", words));
    expect(scores).toEqual([1, 0.8, 0.6, 0.4, 0]);
  });
  it("looks past accents and case, and needs every word", () => {
    expect(fit("", "EXTENSION", ["Extensión"])).toBe(1);
    expect(fit("", "count pirate", ["Word count", "Jokebook"])).toBe(0);
    expect(fit("", "count joke", ["Word count", "Jokebook"])).toBe(0.4);
    expect(fit("", "  ", ["x"])).toBe(1);
  });
});

describe("the palette", () => {
  const open = (language?: string) => {
    const onClose = vi.fn();
    return { ...draw(<Palette open onClose={onClose} />, {}, {}, language), onClose };
  };

  it("names chats, commands, tools, extensions and pages", async () => {
    open();
    for (const name of [/Word counts for the essay/, /New chat/, /Clean textText Cleaner/, /^Jokebook/, /Privacy and logs/]) expect(await screen.findByRole("option", { name })).toBeTruthy();
  });

  it("narrows to what is typed, and runs it with Enter", async () => {
    const { person, onClose } = open();
    await screen.findByRole("option", { name: /Word countWord Count/ });
    await person.keyboard("privacy");
    expect(screen.getAllByRole("option")).toHaveLength(1);
    await person.keyboard("{Enter}");
    expect(onClose).toHaveBeenCalled();
  });

  it("opens a tool's form", async () => {
    const { person, asked } = open();
    await person.click(await screen.findByRole("option", { name: /Word countWord Count/ }));
    await person.type(await screen.findByRole("textbox", { name: "Text" }), "a b");
    await person.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(asked("chat.run")).toHaveLength(1));
  });

  it("says so when nothing has that name", async () => {
    const { person } = open("es");
    await person.keyboard("qqqq");
    expect(await screen.findByText("Nada se llama así.")).toBeTruthy();
  });
});
