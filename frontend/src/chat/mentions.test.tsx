import { screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { memoryItems } from "../../test/fixtures";
import { draw } from "../../test/render";
import { Composer } from "./Composer";
import { mentionAt, offered, withMention } from "./mentions";

describe("a mention at the caret", () => {
  it.each([
    ["@", 1, { from: 0, query: "" }], ["see @ca", 7, { from: 4, query: "ca" }], ["see @my car", 11, { from: 4, query: "my car" }], ["(@ca", 4, { from: 1, query: "ca" }], ['@"my c', 6, { from: 0, query: "my c" }], ["@car and", 2, { from: 0, query: "c" }],
    ["me@example", 10, undefined], ["año@x", 5, undefined], ["mail @ car", 10, undefined], ["@a\nb", 4, undefined], ["no", 2, undefined], ["@car", 0, undefined], ['@"car" x', 8, undefined], [`@${"x".repeat(80)}`, 81, undefined],
  ])("%j at %d", (text, caret, expected) => expect(mentionAt(text, caret)).toEqual(expected));
});

describe("the memories that are offered", () => {
  it("are those that can be used, whatever begins so first", () => {
    expect(offered(memoryItems, "").map((item) => item.title)).toEqual(["Car", "weekly-letter", "rank-jokes"]);
    expect(offered(memoryItems, "JO").map((item) => item.title)).toEqual(["rank-jokes"]);
    expect(offered([{ ...memoryItems[0]!, title: "Old car" }, memoryItems[0]!], "ca").map((item) => item.title)).toEqual(["Car", "Old car"]);
    expect(offered([{ ...memoryItems[0]!, title: "Teléfono" }], "telef")).toHaveLength(1);
    expect(offered(memoryItems, "car x")).toEqual([]);
  });
});

describe("a title in a message", () => {
  it.each([
    ["see @ca", 7, "Car", "see @Car ", 9], ["see @ca now", 7, "Car", "see @Car now", 9], ["@", 1, "My car", '@"My car" ', 10], ['@"my" x', 4, "My car", '@"My car" x', 10], ["@", 1, 'a "b"', '@a "b" ', 7], ["@", 1, "rank-jokes", "@rank-jokes ", 12],
  ])("%j at %d as %s", (text, caret, title, expected, then) => expect(withMention(text, mentionAt(text, caret)!, caret, title)).toEqual({ text: expected, caret: then }));
});

function Written({ onSend }: { onSend(text: string): void }) {
  const [text, setText] = useState("");
  return <Composer text={text} onText={setText} mode="guided" onMode={() => undefined} model="" onModel={() => undefined} running={false} sending={false} stopping={false} active onSend={() => onSend(text)} onStop={() => undefined} />;
}

describe("the composer", () => {
  it("opens a list on @, which the keyboard goes through, and sends nothing meanwhile", async () => {
    const sent: string[] = [];
    const { person, asked } = draw(<Written onSend={(text) => sent.push(text)} />);
    const box = screen.getByRole("textbox", { name: "Message" });
    await person.type(box, "look at ");
    expect(asked("memories.list")).toEqual([]);
    await person.type(box, "@");
    const list = await screen.findByRole("listbox", { name: "Memories" });
    expect(list.querySelectorAll("[role=option]")).toHaveLength(3);
    await person.keyboard("{ArrowDown}");
    expect(document.getElementById(box.getAttribute("aria-activedescendant")!)!.textContent).toContain("weekly-letter");
    await person.keyboard("{ArrowUp}{Enter}");
    expect((box as HTMLTextAreaElement).value).toBe("look at @Car ");
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(sent).toEqual([]);
    await person.keyboard("please{Enter}");
    expect(sent).toEqual(["look at @Car please"]);
  });

  it("closes it on Escape until another @, and on a press beside it", async () => {
    const { person } = draw(<Written onSend={() => undefined} />);
    const box = screen.getByRole("textbox", { name: "Message" });
    await person.type(box, "@c");
    await screen.findByRole("listbox");
    await person.keyboard("{Escape}");
    expect(screen.queryByRole("listbox")).toBeNull();
    await person.keyboard("a");
    expect(screen.queryByRole("listbox")).toBeNull();
    await person.keyboard(" and @w");
    await screen.findByRole("listbox");
    await person.click(document.body);
    await waitFor(() => expect(screen.queryByRole("listbox")).toBeNull());
  });

  it("takes what is pressed, and keeps the caret in the message", async () => {
    const { person } = draw(<Written onSend={() => undefined} />);
    const box = screen.getByRole("textbox", { name: "Message" });
    await person.type(box, "@");
    await person.click(await screen.findByRole("option", { name: /rank-jokes/ }));
    await person.keyboard("them");
    expect((box as HTMLTextAreaElement).value).toBe("@rank-jokes them");
  });
});
