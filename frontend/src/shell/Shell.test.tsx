import { QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { playedHost, type Played } from "../../test/fixture/host";
import { worlds } from "../../test/fixture/worlds";
import { ProblemError, useCarrier } from "../host";
import { client } from "../host/queries";
import { setupI18n } from "../i18n";
import { useInstall } from "../store/install";
import { emptyLayout } from "../store/layout";
import { useTabs } from "../store/tabs";
import { Shell } from "./Shell";

vi.stubGlobal("matchMedia", (query: string) => ({ matches: false, media: query, addEventListener: () => {}, removeEventListener: () => {} }));

// What this document has no notion of.
Element.prototype.setPointerCapture = () => {};

beforeEach(() => {
  setupI18n("en");
  client.clear();
  useTabs.getState().restore(emptyLayout());
  useTabs.setState({ closed: [] });
});

async function show(name: string, own: Parameters<typeof playedHost>[1] = {}): Promise<Played> {
  const played = playedHost(worlds[name]!(), own);
  useCarrier(played);
  render(<QueryClientProvider client={client}><Shell /></QueryClientProvider>);
  await screen.findByRole("navigation");
  return played;
}

const asked = (played: Played, method: string) => played.calls.filter((call) => call.method === method).map((call) => call.request);
const tabNames = () => screen.getAllByRole("tab").map((tab) => `${tab.textContent}${tab.getAttribute("aria-selected") === "true" ? "*" : ""}`);

describe("the window", () => {
  it("comes back as it was left, says that it is drawn, and keeps what changes", async () => {
    const played = await show("chat");
    await waitFor(() => expect(tabNames()).toEqual(["Word counts for the essay*", "Lunch and calories"]));
    await waitFor(() => expect(asked(played, "system.ready")).toHaveLength(1));
    await userEvent.click(screen.getByRole("tab", { name: "Lunch and calories" }));
    await waitFor(() => expect(asked(played, "settings.saveLayout").at(-1)).toMatchObject({ layout: { groups: [{ active: "b" }] } }), { timeout: 2000 });
  });

  it("opens a new chat where there is no layout, or one that cannot be read", async () => {
    await show("chat", { "settings.layout": () => {
      throw new ProblemError({ code: "store.damaged", what: "Not readable." });
    } });
    expect(tabNames()).toEqual(["New chat*"]);
  });

  it("says why when the settings cannot be read, and tries again", async () => {
    const played = playedHost(worlds.chat!(), { "settings.get": () => {
      throw new ProblemError({ code: "store.damaged", what: "The settings could not be read." });
    } });
    useCarrier(played);
    render(<QueryClientProvider client={client}><Shell /></QueryClientProvider>);
    expect(await screen.findByText("The settings could not be read.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
    await waitFor(() => expect(asked(played, "system.ready")).toHaveLength(1));
  });

  it("does what its native menu says", async () => {
    const played = await show("chat");
    act(() => played.emit({ topic: "menu", payload: { action: "session.new" } }));
    await waitFor(() => expect(tabNames()).toEqual(["Word counts for the essay", "New chat*", "Lunch and calories"]));
    act(() => played.emit({ topic: "menu", payload: { action: "view.zoomIn" } }));
    await waitFor(() => expect(document.documentElement.style.getPropertyValue("--z")).toBe("1.1"));
  });

  it("reviews a folder that is dropped on it", async () => {
    const played = await show("chat");
    act(() => played.emit({ topic: "drop", payload: { paths: ["/home/ada/wordcount"] } }));
    await waitFor(() => expect(useInstall.getState().reviewing).toBe("/home/ada/wordcount"));
    act(() => useInstall.getState().setReviewing(null));
  });

  it("follows the theme and the language of the settings", async () => {
    await show("chat", { "settings.get": () => ({ theme: "dark", language: "es", zoom: 100, stepLimit: 20, workers: { running: 8, ahead: 4, megabytes: 512, cpuSeconds: 1800 } }) });
    expect(document.documentElement.dataset.theme).toBe("dark");
    expect(await screen.findByRole("tab", { name: "Lunch and calories" })).toBeTruthy();
    expect(screen.getByRole("complementary", { name: "Conversaciones" })).toBeTruthy();
  });
});

describe("tabs", () => {
  it("go by the arrow keys, close with Delete and come back by the shortcut", async () => {
    await show("chat");
    const first = await screen.findByRole("tab", { name: "Word counts for the essay" });
    act(() => first.focus());
    await userEvent.keyboard("{ArrowRight}");
    expect(tabNames()).toEqual(["Word counts for the essay", "Lunch and calories*"]);
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Lunch and calories"));
    await userEvent.keyboard("{Delete}");
    expect(tabNames()).toEqual(["Word counts for the essay*"]);
    fireEvent.keyDown(window, { key: "T", ctrlKey: true, shiftKey: true });
    await waitFor(() => expect(tabNames()).toEqual(["Word counts for the essay", "Lunch and calories*"]));
  });

  it("are moved by Alt and an arrow", async () => {
    await show("chat");
    const first = await screen.findByRole("tab", { name: "Word counts for the essay" });
    act(() => first.focus());
    await userEvent.keyboard("{Alt>}{ArrowRight}{/Alt}");
    expect(tabNames()).toEqual(["Lunch and calories", "Word counts for the essay*"]);
  });

  it("close with the middle button", async () => {
    await show("chat");
    fireEvent(await screen.findByRole("tab", { name: "Lunch and calories" }), new MouseEvent("auxclick", { button: 1, bubbles: true }));
    expect(tabNames()).toEqual(["Word counts for the essay*"]);
  });

  it("split to the right, each with its own panel, and their edge moves by the keys", async () => {
    await show("chat");
    await userEvent.click(await screen.findByRole("button", { name: "Split to the right" }));
    expect(screen.getAllByRole("tablist")).toHaveLength(2);
    expect(screen.getAllByRole("tabpanel")).toHaveLength(2);
    const edge = screen.getByRole("separator");
    act(() => edge.focus());
    await userEvent.keyboard("{ArrowLeft}");
    expect(Number(edge.getAttribute("aria-valuenow"))).toBeLessThan(50);
  });

  it("all closed say what to do", async () => {
    await show("ready");
    act(() => useTabs.getState().close(useTabs.getState().active ?? ""));
    expect(await screen.findByText("Nothing is open.")).toBeTruthy();
    await userEvent.click(screen.getAllByRole("button", { name: "New chat" }).at(-1)!);
    expect(tabNames()).toEqual(["New chat*"]);
  });
});

describe("the sidebar", () => {
  it("renames in place: F2, Enter; Escape leaves it", async () => {
    const played = await show("chat");
    const item = await screen.findByRole("button", { name: "Trip to Lisbon" });
    act(() => item.focus());
    await userEvent.keyboard("{F2}");
    await userEvent.keyboard("Trip to Porto{Enter}");
    await waitFor(() => expect(asked(played, "sessions.rename")).toEqual([{ id: "lisbon", title: "Trip to Porto" }]));
    const renamed = await screen.findByRole("button", { name: "Trip to Porto" });
    act(() => renamed.focus());
    await userEvent.keyboard("{F2}x{Escape}");
    expect(asked(played, "sessions.rename")).toHaveLength(1);
  });

  it("deletes with a way back, and closes the tab", async () => {
    const played = await show("chat", { "sessions.restore": () => worlds.chat!().sessions[1]! });
    const item = await screen.findByRole("button", { name: "Lunch and calories" });
    act(() => item.focus());
    await userEvent.keyboard("{Delete}");
    await waitFor(() => expect(tabNames()).toEqual(["Word counts for the essay*"]));
    fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(asked(played, "sessions.restore")).toEqual([{ id: "lunch" }]));
  });

  it("finds by every word, and says when nothing is called that", async () => {
    await show("chat");
    const search = await screen.findByRole("searchbox");
    await userEvent.type(search, "lisbon");
    expect(screen.queryByRole("button", { name: "Invoices from March" })).toBeNull();
    await userEvent.type(search, " nowhere");
    expect(screen.getByText("No conversation is named “lisbon nowhere”.")).toBeTruthy();
  });

  it("says in words which conversation works and which one waits", async () => {
    await show("chat");
    expect(await screen.findAllByRole("img", { name: "Working" })).toHaveLength(1);
    expect(screen.getAllByRole("img", { name: "Waiting for you" }).length).toBeGreaterThan(0);
  });
});
