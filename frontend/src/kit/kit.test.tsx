import { act, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useState } from "react";
import { draw } from "../../test/render";
import { Button, Combobox, ConfirmDialog, Dialog, ErrorBoundary, Field, IconTile, Input, keysOf, letterOf, Menu, ProblemView, ProgressBar, reportOf, SearchBox, Segmented, Skeleton, Switch, tileOf, toast } from ".";

afterEach(() => vi.useRealTimers());

describe("a button", () => {
  it("says that it is busy to a screen reader at once, and to the eye only when the wait is noticed", () => {
    vi.useFakeTimers();
    const { container } = render(<Button busy>Save</Button>);
    expect(screen.getByRole("button").getAttribute("aria-busy")).toBe("true");
    expect(container.querySelectorAll("button > span")).toHaveLength(0);
    act(() => vi.advanceTimersByTime(150));
    expect(container.querySelectorAll("button > span")).toHaveLength(1);
  });

  it("does nothing a second time while it is busy", async () => {
    const pressed = vi.fn();
    const { person } = draw(<Button busy onClick={pressed}>Save</Button>);
    await person.click(screen.getByRole("button"));
    expect(pressed).not.toHaveBeenCalled();
  });
});

describe("a switch", () => {
  it("has a name and a state, and turns with the space key", async () => {
    const turned = vi.fn();
    const { person } = draw(<Switch on={false} label="Offer it" onChange={turned} />);
    screen.getByRole("switch", { name: "Offer it" }).focus();
    await person.keyboard(" ");
    expect(turned).toHaveBeenCalledWith(true);
  });
});

describe("segments", () => {
  it("are chosen with the arrow keys, and one stays chosen when it is pressed again", async () => {
    const chosen = vi.fn();
    const { person } = draw(<Segmented label="Theme" value="light" choices={[{ value: "light", label: "Light" }, { value: "dark", label: "Dark" }]} onChange={chosen} />);
    await person.click(screen.getByRole("radio", { name: "Light" }));
    expect(chosen).not.toHaveBeenCalled();
    await person.keyboard("{ArrowRight} ");
    expect(chosen).toHaveBeenCalledWith("dark");
  });
});

describe("a field", () => {
  it("ties its label, its hint and its fault to its control", () => {
    draw(<Field label="Text" hint="What to count." fault="This is needed."><Input /></Field>);
    const input = screen.getByRole("textbox", { name: "Text" });
    expect(input.getAttribute("aria-invalid")).toBe("true");
    const described = (input.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent);
    expect(described).toEqual(["What to count.", "This is needed."]);
  });
});

describe("a combobox", () => {
  it("offers all at first, fewer as one types, and takes one by keyboard", async () => {
    const changed = vi.fn();
    const { person } = draw(<Field label="Model"><Combobox value="" choices={["qwen3", "llama3"]} onChange={changed} /></Field>);
    await person.click(screen.getByRole("combobox", { name: "Model" }));
    expect(screen.getAllByRole("option")).toHaveLength(2);
    await person.keyboard("{ArrowDown}{ArrowDown}{Enter}");
    expect(changed).toHaveBeenLastCalledWith("llama3");
    expect(screen.queryByRole("option")).toBeNull();
  });
});

describe("a search box", () => {
  it("is emptied by Escape, which goes no further then", async () => {
    const changed = vi.fn();
    const outside = vi.fn();
    const { person } = draw(<div onKeyDown={outside}><SearchBox value="abc" label="Search" onChange={changed} /></div>);
    screen.getByRole("searchbox").focus();
    await person.keyboard("{Escape}");
    expect(changed).toHaveBeenCalledWith("");
    expect(outside).not.toHaveBeenCalled();
  });
});

describe("a menu", () => {
  it("opens, moves and acts by keyboard", async () => {
    const done = vi.fn();
    const { person } = draw(<Menu trigger={<button>More</button>} items={[{ label: "First", onSelect: vi.fn() }, "line", { label: "Remove", danger: true, onSelect: done }]} />);
    screen.getByRole("button", { name: "More" }).focus();
    await person.keyboard("{Enter}{ArrowDown}{Enter}");
    expect(done).toHaveBeenCalledOnce();
  });
});

describe("a confirmation", () => {
  it("has nothing dangerous under Enter when it opens", async () => {
    const confirmed = vi.fn();
    const closed = vi.fn();
    const { person } = draw(<ConfirmDialog open title="Remove it?" confirm="Remove" onClose={closed} onConfirm={confirmed}>It is gone then.</ConfirmDialog>);
    await person.keyboard("{Enter}");
    expect(confirmed).not.toHaveBeenCalled();
    expect(closed).toHaveBeenCalled();
  });
});

describe("a dialog", () => {
  it("gives the focus back to what opened it, also when that was a menu", async () => {
    const Page = () => {
      const [open, setOpen] = useState(false);
      return (
        <>
          <Menu trigger={<button>More</button>} items={[{ label: "Remove", onSelect: () => setOpen(true) }]} />
          <button onClick={() => setOpen(true)}>Open</button>
          {open && <Dialog open title="Sure?" onClose={() => setOpen(false)}><Input aria-label="Why" /></Dialog>}
        </>
      );
    };
    const { person } = draw(<Page />);
    screen.getByRole("button", { name: "Open" }).focus();
    await person.keyboard("{Enter}");
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Why" }));
    await person.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Open" })));
    screen.getByRole("button", { name: "More" }).focus();
    await person.keyboard("{Enter}{Enter}");
    await screen.findByRole("dialog");
    await person.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "More" })));
  });
});

describe("a toast", () => {
  it("takes back what was done", async () => {
    const undo = vi.fn();
    const { person } = draw(<div />);
    act(() => toast({ text: "The chat was deleted.", undo }));
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    expect(undo).toHaveBeenCalledOnce();
  });
});

const problem = { code: "install.unwritable", what: "It can't be written.", where: "/data", next: "Make it writable.", detail: "mkdir /data: permission denied", issues: [{ place: "tools[0].name", what: "is missing" }] };

describe("a problem", () => {
  it("says what, where and what to do, and keeps the details for who asks", async () => {
    const { person } = draw(<ProblemView problem={problem} />);
    for (const text of ["It can't be written.", "/data", "Make it writable.", "tools[0].name", "is missing"]) expect(screen.getByText(text)).toBeTruthy();
    expect(screen.queryByText(/permission denied/)).toBeNull();
    await person.click(screen.getByRole("button", { name: "Details" }));
    expect(screen.getByText(/permission denied/)).toBeTruthy();
  });

  it("is copied whole for a bug report, in the core's words", async () => {
    const { person } = draw(<ProblemView problem={problem} />, {}, {}, "es");
    await person.click(screen.getByRole("button", { name: "Copiar para informar del error" }));
    expect(await navigator.clipboard.readText()).toBe(reportOf(problem, ""));
    expect(reportOf(problem, "Portico 1")).toBe("Portico 1\ninstall.unwritable: It can't be written.\nWhere: /data\nNext: Make it writable.\n- tools[0].name: is missing\n\nmkdir /data: permission denied\n");
  });
});

describe("a part that fails", () => {
  it("says so in its own place, and can be tried again", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    let fails = true;
    const Part = () => {
      if (fails) throw new Error("no such row");
      return <p>rows</p>;
    };
    const { person } = draw(<ErrorBoundary><Part /></ErrorBoundary>);
    const alert = screen.getByRole("alert");
    expect(within(alert).getByText(/failed/)).toBeTruthy();
    fails = false;
    await person.click(screen.getByRole("button", { name: "Try again" }));
    expect(screen.getByText("rows")).toBeTruthy();
    vi.restoreAllMocks();
  });
});

describe("waiting", () => {
  it("shows nothing before it is noticed", () => {
    vi.useFakeTimers();
    const { container } = render(<Skeleton label="Loading" lines={2} />);
    expect(container.firstElementChild?.children).toHaveLength(0);
    act(() => vi.advanceTimersByTime(150));
    expect(screen.getByRole("status", { name: "Loading" }).children).toHaveLength(2);
  });

  it.each([[0.624, "62"], [-1, "0"], [7, "100"], [null, null]])("at %s of progress says %s", (fraction, said) => {
    render(<ProgressBar fraction={fraction} label="Progress" />);
    expect(screen.getByRole("progressbar", { name: "Progress" }).getAttribute("aria-valuenow")).toBe(said);
  });
});

describe("a tile", () => {
  it.each([["Word Count", "W"], ["¡Órale!", "Ó"], ["42", "4"], ["日本", "日"], ["", "?"], ["…", "…"]])("of %s shows %s", (name, letter) => expect(letterOf(name)).toBe(letter));
  it("has the same colour for the same id, and not one for all", () => {
    expect(tileOf("a/b")).toBe(tileOf("a/b"));
    expect(new Set(Array.from({ length: 50 }, (_, n) => tileOf(`id-${n}`))).size).toBe(7);
  });
  it("is left out of what is read aloud", () => {
    render(<IconTile id="x" name="Word Count" />);
    expect(screen.getByText("W").getAttribute("aria-hidden")).toBe("true");
  });
});

describe("a shortcut", () => {
  it.each([["Mod+Shift+T", "Ctrl Shift T", "⌘⇧T"], ["Mod+=", "Ctrl =", "⌘="], ["F8", "F8", "F8"]])("%s is written as the system does", (shortcut, other, mac) => {
    expect(keysOf(shortcut, false)).toBe(other);
    expect(keysOf(shortcut, true)).toBe(mac);
  });
});
