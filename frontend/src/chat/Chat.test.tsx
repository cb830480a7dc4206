import { QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { playedHost, type Played } from "../../test/fixture/host";
import { Script, worlds } from "../../test/fixture/worlds";
import { ProblemError, useCarrier, type Entry } from "../host";
import { apply, client } from "../host/queries";
import { setupI18n } from "../i18n";
import { emptyLayout } from "../store/layout";
import { useTabs } from "../store/tabs";
import { Chat } from "./Chat";
import { settles } from "./hooks";

setupI18n("en");

function Tabbed() {
  const tab = useTabs((s) => s.tabs.find((other) => other.id === s.active));
  return tab ? <Chat tab={tab} /> : null;
}

/** Shows a world's chat; without a session, a new one. */
function play(name: string, { session, own = {} }: { session?: string; own?: Parameters<typeof playedHost>[1] } = {}): Played {
  client.clear();
  const played = playedHost(worlds[name]!(), own);
  useCarrier(played);
  played.listen((events) => act(() => apply(client, events)));
  useTabs.getState().restore(emptyLayout());
  useTabs.getState().open({ kind: "session", session });
  render(<QueryClientProvider client={client}><Tabbed /></QueryClientProvider>);
  return played;
}

const asked = (played: Played, method: string) => played.calls.filter((call) => call.method === method).map((call) => call.request);

beforeEach(() => setupI18n("en"));

describe("a new chat", () => {
  it("without anything says what to do next", async () => {
    play("empty");
    expect(await screen.findByRole("heading", { name: "No model connected, and that's fine" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Add an extension" }));
    expect(useTabs.getState().tabs.at(-1)).toMatchObject({ kind: "settings", page: "extensions" });
  });

  it("names a model server that runs on this computer", async () => {
    play("empty");
    expect(await screen.findByText(/Ollama is running on this computer/)).toBeTruthy();
  });

  it("becomes a session with its first message, and keeps what was typed until it is on disk", async () => {
    let fail = true;
    const played = play("ready", { own: { "chat.send": () => {
      if (fail) throw new ProblemError({ code: "store.full", what: "There is no room left on the disk." });
      return { turn: "t" };
    } } });
    const box = await screen.findByRole("textbox", { name: "Message" });
    await userEvent.type(box, "How long is it?{Enter}");
    await waitFor(() => expect(asked(played, "chat.send")).toHaveLength(1));
    expect((box as HTMLTextAreaElement).value).toBe("How long is it?");
    fail = false;
    await userEvent.type(box, "{Enter}");
    await waitFor(() => expect(useTabs.getState().tabs[0]?.session).toBeTruthy());
    expect(asked(played, "sessions.create")).toHaveLength(1);
  });

  it("keeps its draft with the tab", async () => {
    play("ready");
    await userEvent.type(await screen.findByRole("textbox", { name: "Message" }), "half a thought");
    expect(useTabs.getState().tabs[0]?.draft).toBe("half a thought");
  });
});

describe("the composer", () => {
  it("sends with Enter, breaks the line with Shift and Enter, and leaves the input method alone", async () => {
    const played = play("markdown", { session: "essay" });
    const box = (await screen.findByRole("textbox", { name: "Message" })) as HTMLTextAreaElement;
    await userEvent.type(box, "one{Shift>}{Enter}{/Shift}two");
    expect(box.value).toBe("one\ntwo");
    fireEvent.keyDown(box, { key: "Enter", isComposing: true });
    fireEvent.keyDown(box, { key: "Enter", keyCode: 229 });
    expect(asked(played, "chat.send")).toEqual([]);
    await userEvent.type(box, "{Enter}");
    await waitFor(() => expect(asked(played, "chat.send")).toEqual([{ session: "essay", text: "one\ntwo" }]));
    await waitFor(() => expect(box.value).toBe(""));
  });

  it("keeps what is typed while a message is on its way", async () => {
    let arrive = () => {};
    const played = play("markdown", { session: "essay", own: { "chat.send": () => new Promise((resolve) => (arrive = () => resolve({ turn: "t" }))) } });
    const box = (await screen.findByRole("textbox", { name: "Message" })) as HTMLTextAreaElement;
    await userEvent.type(box, "one{Enter}");
    await waitFor(() => expect(asked(played, "chat.send")).toHaveLength(1));
    await userEvent.clear(box);
    await userEvent.type(box, "two");
    await act(async () => arrive());
    expect(box.value).toBe("two");
  });

  it("keeps what is typed while a new chat becomes a session", async () => {
    let arrive = () => {};
    play("ready", { own: { "chat.send": () => new Promise((resolve) => (arrive = () => resolve({ turn: "t" }))) } });
    await userEvent.type(await screen.findByRole("textbox", { name: "Message" }), "one{Enter} and two");
    await act(async () => arrive());
    await waitFor(() => expect(useTabs.getState().tabs[0]?.session).toBeTruthy());
    expect(((await screen.findByRole("textbox", { name: "Message" })) as HTMLTextAreaElement).value).toBe("and two");
  });

  it("sends nothing that is empty, and stops what runs", async () => {
    const played = play("running", { session: "essay" });
    const box = await screen.findByRole("textbox", { name: "Message" });
    await userEvent.type(box, "more{Enter}");
    expect(asked(played, "chat.send")).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Stop" }));
    expect(asked(played, "chat.stop")).toEqual([{ session: "essay" }]);
    await screen.findByRole("button", { name: "Send" });
  });

  it("saves the draft once the person rests", async () => {
    const played = play("markdown", { session: "essay" });
    await userEvent.type(await screen.findByRole("textbox", { name: "Message" }), "draft");
    await waitFor(() => expect(asked(played, "sessions.saveView")).toContainEqual(expect.objectContaining({ id: "essay", draft: "draft" })), { timeout: 2000 });
  });

  it("does not let go of the autonomous mode", async () => {
    const world = worlds.markdown!();
    world.sessions[0]!.mode = "autonomous";
    client.clear();
    useCarrier(playedHost(world));
    useTabs.getState().restore(emptyLayout());
    useTabs.getState().open({ kind: "session", session: "essay" });
    render(<QueryClientProvider client={client}><Tabbed /></QueryClientProvider>);
    await userEvent.click(await screen.findByRole("button", { name: "Mode: Autonomous" }));
    expect(screen.getByRole("menuitemradio", { name: /^Guided/ }).getAttribute("aria-disabled")).toBe("true");
  });
});

describe("a transcript", () => {
  it("that cannot be opened says why, and tries again", async () => {
    let fail = true;
    const played = play("markdown", { session: "essay", own: { "sessions.open": () => {
      if (fail) throw new ProblemError({ code: "store.damaged", what: "The conversation could not be read.", next: "Try again." });
      return { session: played.world.sessions[0]!, entries: played.world.entries.essay! };
    } } });
    expect(await screen.findByText("The conversation could not be read.")).toBeTruthy();
    fail = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("heading", { name: "A plan for the draft" })).toBeTruthy();
  });

  it("grows with what streams, and announces only what is finished", async () => {
    const played = play("markdown", { session: "essay" });
    await screen.findByRole("heading", { name: "A plan for the draft" });
    const said: Entry = { id: "x", session: "essay", seq: 99, turn: "t", kind: "agent", state: "running", createdAt: 0, text: "" };
    act(() => played.emit({ topic: "entry", payload: said }, { topic: "delta", payload: { session: "essay", entry: "x", at: 0, text: "The **mill**" } }));
    expect(await screen.findByText("mill")).toBeTruthy();
    expect(screen.queryAllByRole("status").some((live) => live.textContent?.includes("mill"))).toBe(false);
    act(() => played.emit({ topic: "entry", payload: { ...said, text: "The **mill** stood.", state: "done" } }));
    await waitFor(() => expect(screen.getAllByRole("status").some((live) => live.textContent?.includes("stood"))).toBe(true));
  });

  it("draws no HTML, loads no picture and follows no link by itself", async () => {
    const played = play("markdown", { session: "essay" });
    const s = new Script("essay");
    const bad = "<img src=x onerror=alert(1)> ![p](https://example.com/p.png) [safe](https://example.com) [bad](javascript:alert(1))";
    act(() => played.emit({ topic: "entry", payload: { ...s.says(bad), id: "bad", seq: 100 } }));
    await screen.findByText(/onerror/);
    expect(document.querySelector("[data-entry=bad] img")).toBeNull();
    expect(screen.queryByRole("link", { name: "bad" })).toBeNull();
    await userEvent.click(screen.getByRole("link", { name: "safe" }));
    expect(asked(played, "system.openLink")).toEqual([{ url: "https://example.com" }]);
  });

  it("unfolds a run of calls, and a call's arguments, result and log", async () => {
    play("chat", { session: "essay" });
    await userEvent.click(await screen.findByRole("button", { name: "Count words, Open the jokebook ×3, Read file ×2" }));
    await userEvent.click(screen.getByRole("button", { name: /^Count words Word Count/ }));
    expect(screen.getByText("words").parentElement?.textContent).toBe("words: 3112");
    expect(screen.getByText("(18,204 characters)")).toBeTruthy();
  });

  it("ends with a problem in words and a button that tries again", async () => {
    const played = play("settled", { session: "essay" });
    expect(await screen.findByText("The model at 127.0.0.1:11434 does not answer.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(asked(played, "chat.retry")).toEqual([{ session: "essay" }]);
  });
});

describe("a question", () => {
  it("is answered by a digit and Enter, and stays with its answer", async () => {
    const played = play("chat", { session: "essay" });
    const card = await screen.findByRole("form", { name: "asked by Text Cleaner" });
    act(() => within(card).getAllByRole("radio")[0]!.focus());
    await userEvent.keyboard("2");
    expect((within(card).getByRole("radio", { name: "essay-2026-11-30.md" }) as HTMLInputElement).checked).toBe(true);
    await userEvent.keyboard("{Enter}");
    await waitFor(() => expect(asked(played, "chat.answer")).toEqual([{ entry: "essay-11", answers: ["b"] }]));
    await waitFor(() => expect(screen.queryByRole("form", { name: "asked by Text Cleaner" })).toBeNull());
    expect(screen.getByText("essay-2026-11-30.md")).toBeTruthy();
  });

  it("takes something else in the person's own words, digits included", async () => {
    const played = play("chat", { session: "essay" });
    const other = await screen.findByRole("textbox", { name: "Something else…" });
    await userEvent.type(other, "essay 2.md{Enter}");
    await waitFor(() => expect(asked(played, "chat.answer")).toEqual([{ entry: "essay-11", answers: ["essay 2.md"] }]));
  });

  it("can wait for several answers at once", async () => {
    const played = play("questions", { session: "essay" });
    const card = await screen.findByRole("form", { name: "asked by Asker" });
    const answer = within(card).getByRole("button", { name: "Answer" }) as HTMLButtonElement;
    expect(answer.disabled).toBe(true);
    await userEvent.click(within(card).getByRole("checkbox", { name: /The mill/ }));
    await userEvent.type(within(card).getByRole("textbox", { name: "What should it be called?" }), "Winter");
    await userEvent.click(within(card).getByRole("radio", { name: "Accept the change" }));
    await userEvent.click(within(card).getByRole("radio", { name: "/home/ada/b.md" }));
    await userEvent.clear(within(card).getByRole("textbox", { name: "Age, row 2" }));
    await userEvent.type(within(card).getByRole("textbox", { name: "Age, row 2" }), "42");
    await userEvent.click(answer);
    await waitFor(() => expect(asked(played, "chat.answer")).toEqual([
      { entry: "essay-3", answers: [["m"], "Winter", "accept", "/home/ada/b.md", [{ Name: "Ada", Age: "36" }, { Name: "Grace", Age: "42" }]] },
    ]));
  });

  it("of the app itself is put in the app's own words", async () => {
    play("questions", { session: "essay" });
    const card = await screen.findByRole("form", { name: "asked by Portico" });
    expect(within(card).getByRole("radio", { name: "No, go on without it" })).toBeTruthy();
  });

  it("that was settled elsewhere says so and keeps what was put in", async () => {
    play("chat", { session: "essay", own: { "chat.answer": () => {
      throw new ProblemError({ code: "chat.already-answered", what: "That is settled already." });
    } } });
    const card = await screen.findByRole("form", { name: "asked by Text Cleaner" });
    await userEvent.click(within(card).getByRole("radio", { name: "essay-clean.md" }));
    await userEvent.click(within(card).getByRole("button", { name: "Answer" }));
    expect(await within(card).findByText("That is settled already.")).toBeTruthy();
  });
});

describe("the permission prompt", () => {
  const prompt = () => screen.findByRole("group", { name: "Portico asks for your permission" });

  it("says who wants what and why, what it risks and where it really goes", async () => {
    play("chat", { session: "essay" });
    const frame = await prompt();
    for (const text of ["Text Cleaner wants to write to your Downloads", "“Save the cleaned file where you can find it.”", "clean_text → write ~/Downloads", "can replace files there"]) {
      expect(await within(frame).findByText(text)).toBeTruthy();
    }
    expect(within(frame).getAllByRole("button").map((button) => button.textContent)).toEqual(["Don't allow", "Always", "This session", "Allow once"]);
    expect(frame.contains(document.activeElement)).toBe(false);
  });

  it("does nothing for a press in flight when it appears", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      const played = play("chat", { session: "essay" });
      const frame = await prompt();
      const once = within(frame).getByRole("button", { name: "Allow once" });
      fireEvent.pointerDown(once);
      fireEvent.click(once, { detail: 1 });
      expect(asked(played, "chat.decide")).toEqual([]);
      // The press began before it could be seen, and ends after.
      fireEvent.pointerDown(once);
      act(() => void vi.advanceTimersByTime(settles + 50));
      fireEvent.click(once, { detail: 1 });
      expect(asked(played, "chat.decide")).toEqual([]);
      fireEvent.pointerDown(once);
      fireEvent.click(once, { detail: 1 });
      await waitFor(() => expect(asked(played, "chat.decide")).toEqual([{ entry: "essay-12", answer: { decision: "allow", lasting: "once" } }]));
    } finally {
      vi.useRealTimers();
    }
  });

  it("is never answered by Enter, whatever has the focus", async () => {
    const played = play("chat", { session: "essay" });
    const frame = await prompt();
    await waitFor(() => expect(frame.dataset.settled).toBe("true"), { timeout: 2000 });
    for (const button of within(frame).getAllByRole("button")) {
      act(() => button.focus());
      await userEvent.keyboard("{Enter}");
    }
    expect(asked(played, "chat.decide")).toEqual([]);
    act(() => within(frame).getByRole("button", { name: "Don't allow" }).focus());
    await userEvent.keyboard(" ");
    await waitFor(() => expect(asked(played, "chat.decide")).toEqual([{ entry: "essay-12", answer: { decision: "deny", lasting: "once" } }]));
  });
});

describe("direct mode", () => {
  it("offers the best tool as its form, runs it and shows the result", async () => {
    const played = play("direct", { session: "essay" });
    const text = await screen.findByRole("textbox", { name: /^Text/ }, { timeout: 5000 });
    expect(screen.getByText("touches nothing on this computer")).toBeTruthy();
    await userEvent.type(text, "one two three");
    await userEvent.click(screen.getByRole("button", { name: "Run" }));
    await waitFor(() => expect(asked(played, "chat.run")).toEqual([{ session: "essay", address: "loca-extension-wordcount/word_count", args: { text: "one two three" } }]));
    expect((await screen.findByText("words")).parentElement?.textContent).toBe("words: 3");
  });

  it("opens another card in place of the first", async () => {
    play("direct", { session: "essay" });
    await userEvent.click(await screen.findByRole("button", { name: /^Fetch web page/ }));
    expect(screen.getByRole("button", { name: /^Count words/ }).getAttribute("aria-expanded")).toBe("false");
    expect(await screen.findByText("asks before it touches anything")).toBeTruthy();
  });

  it("that finds nothing says what to do", async () => {
    const played = play("direct", { session: "essay" });
    await screen.findByText("Best matches of 17 tools");
    const s = new Script("essay");
    act(() => played.emit({ topic: "entry", payload: { ...s.add({ kind: "matches", matches: { of: 17, tools: [] } }), id: "none", seq: 50 } }));
    expect(await screen.findByText("None of the 17 installed tools does anything like this")).toBeTruthy();
  });
});

it("the whole chat is in Spanish when Spanish is chosen", async () => {
  setupI18n("es");
  play("chat", { session: "essay" });
  expect(await screen.findByText("Text Cleaner quiere escribir en tus Descargas")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Permitir una vez" })).toBeTruthy();
  expect(document.documentElement.lang).toBe("es");
});
