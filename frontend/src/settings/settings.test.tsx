import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { SettingsNav, SettingsTab, InstallDialog } from ".";
import { broken, drift, extensions, info, review, vault, vaultClosed } from "../../test/fixtures";
import { draw } from "../../test/render";
import { ProblemError, type ExtensionView, type Problem } from "../host";
import { useInstall } from "../store/install";
import { useTabs } from "../store/tabs";
import { reportOf } from "./about";
import { nameOf } from "./extensions/page";
import { shorten } from "./install";
import { keyName } from "./models";
import { found, placeOf } from "./pages";
import { permissionWords, placeName } from "./permission-words";
import { badgeOf, keyOf, refOf } from "./ref";
import { touchOf } from "./run-dialog";
import { phraseFaults } from "./vault-dialogs";
import i18next from "i18next";
import { useState } from "react";

const noPage = () => undefined;
const tab = (page: string, ...rest: [Parameters<typeof draw>[1]?, Parameters<typeof draw>[2]?, string?]) => draw(<><SettingsTab page={page} onPage={noPage} /><InstallDialog /></>, ...rest);
const pageOf = (id: string) => `extensions/${keyOf(refOf(extensions.find((view) => view.extension.id === id)!))}`;
const cleaner = pageOf("loca-extension-textcleaner");

beforeEach(() => {
  useInstall.setState({ reviewing: null });
  localStorage.clear();
});

describe("where in the settings", () => {
  it.each([["tools", { page: "tools" }], ["extensions/agent:loca::a%2Fb", { page: "extensions", key: "agent:loca::a%2Fb" }], ["nowhere", { page: "extensions" }], ["nowhere/x", { page: "extensions" }], ["", { page: "extensions" }]])("%s is", (text, place) => expect(placeOf(text)).toEqual(place));
  it("is found by any of its words, accents or not", () => {
    expect(found("idioma", "Idioma")).toBe(true);
    expect(found("tamano ventana", "Tamaño", "De toda la ventana")).toBe(true);
    expect(found("tema nada", "Tema")).toBe(false);
  });
});

describe("an extension's key", () => {
  it("tells scopes, projects and ids apart", () => {
    const keys = [{ scope: "agent", format: "loca", id: "a" }, { scope: "project", format: "loca", id: "a", project: "/p:a" }, { scope: "project", format: "loca", id: "a:a", project: "/p" }].map((ref) => keyOf(ref as never));
    expect(new Set(keys).size).toBe(3);
  });
  it.each<[Partial<ExtensionView>, string | undefined]>([[{ enabled: true }, undefined], [{ enabled: false }, "off"], [{ enabled: true, problem: drift }, "changed"], [{ enabled: false, problem: { code: "extension.gone", what: "" } }, "gone"], [{ enabled: true, problem: { code: "loca.broken-rules", what: "" } }, "stopped"]])("badge of %j", (view, badge) => expect(badgeOf(view as ExtensionView)).toBe(badge));
});

describe("a permission in words", () => {
  const t = () => {
    draw(<div />);
    return i18next.getFixedT("en", "settings") as never;
  };
  it.each([
    [{ kind: "net", host: "example.com", ports: ["443"] }, "Reach example.com, port 443"], [{ kind: "net", host: "a.b", ports: ["80", "443"] }, "Reach a.b, ports 80, 443"], [{ kind: "net", host: "*", ports: ["*"] }, "Reach any address, every port"], [{ kind: "net", host: "a.b" }, "Reach a.b"],
    [{ kind: "write", path: "$downloads" }, "Write to your Downloads"], [{ kind: "read", path: "$home/notes" }, "Read your home folder/notes"], [{ kind: "read", path: "$homely/x" }, "Read $homely/x"], [{ kind: "read", path: "/etc/hosts" }, "Read /etc/hosts"],
    [{ kind: "run", binary: "pandoc" }, "Run pandoc"], [{ kind: "env", envKey: "KEY" }, "Read the variable KEY"], [{ kind: "sys", flag: "hostname" }, "Learn about this computer: hostname"], [{ kind: "memories", access: "write" }, "Change your memories"], [{ kind: "memories", access: "read" }, "Read your memories"], [{ kind: "ffi" }, "Run native code"], [{ kind: "llm" }, "Ask your model"], [{ kind: "tts" }, "Speak aloud"], [{ kind: "stt" }, "Turn speech into text"],
  ])("%j", (permission, words) => expect(permissionWords({ reason: "", ...permission } as never, t()).text).toBe(words));
  it("names places in the person's language", () => {
    draw(<div />, {}, {}, "es");
    expect(placeName("$downloads/x", i18next.getFixedT("es", "settings") as never)).toBe("tus descargas/x");
  });
});

describe("small words", () => {
  it("of what running means", () => {
    const permission = extensions[2]!.toolViews![0]!.permissions![0]!;
    expect(touchOf({ permissions: [] })).toBe("touchesNothing");
    expect(touchOf({ permissions: [{ ...permission, decision: "ask" }] })).toBe("asksFirst");
    expect(touchOf({ permissions: [{ ...permission, decision: "allow" }] })).toBe("mayTouch");
  });
  it.each([["skills/rank/SKILL.md", "rank"], ["knowledge/pirates.md", "pirates"], ["x", "x"]])("of the memory %s", (path, name) => expect(nameOf(path)).toBe(name));
  it.each([["/home/ana/x", "/home/ana", "~/x"], ["/home/anabel/x", "/home/ana", "/home/anabel/x"], ["/x", undefined, "/x"], ["/x", "/", "/x"]])("of the path %s", (path, home, short) => expect(shorten(path, home)).toBe(short));
  it("of a bug report", () => expect(reportOf(info, [{ name: "git", ok: false, detail: "not found" } as never])).toContain("missing git: not found"));
});

describe("the list of pages", () => {
  it("marks the page that is open and what needs the person, and opens another", async () => {
    let opened = "";
    const { person } = draw(<SettingsNav page="tools" onPage={(page) => (opened = page)} />);
    expect(screen.getByRole("button", { name: "Tools" }).getAttribute("aria-current")).toBe("page");
    expect(await screen.findByRole("button", { name: /^Extensions\s*Something needs you$/ })).toBeTruthy();
    await person.click(screen.getByRole("button", { name: "Models" }));
    expect(opened).toBe("models");
  });

  it("finds settings, extensions and tools by name", async () => {
    let opened = "";
    const { person } = draw(<SettingsNav page="tools" onPage={(page) => (opened = page)} />);
    await screen.findByRole("button", { name: /Something needs you/ });
    const search = screen.getByRole("searchbox", { name: "Search settings" });
    await person.type(search, "theme");
    expect(screen.getByRole("button", { name: "ThemeAppearance" })).toBeTruthy();
    await person.clear(search);
    await person.type(search, "jokebook{Enter}");
    expect(opened).toMatch(/^extensions\/.*jokebook/);
    await person.clear(search);
    await person.type(search, "zzz");
    expect(screen.getByRole("status").textContent).toBe("No setting is called that.");
  });
});

describe("a setting that was found", () => {
  it("is brought into view with the focus on what changes it", async () => {
    const Both = () => {
      const [page, setPage] = useState("about");
      return <><SettingsNav page={page} onPage={setPage} /><SettingsTab page={page} onPage={setPage} /></>;
    };
    const { person } = draw(<Both />);
    await person.type(screen.getByRole("searchbox", { name: "Search settings" }), "language{Enter}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Language" })));
  });
});

describe("general and appearance", () => {
  it("saves a limit when it is confirmed, and only one that the core takes", async () => {
    const { person, asked } = tab("general");
    const box = await screen.findByRole("spinbutton", { name: "Steps in one turn" });
    await person.clear(box);
    await person.type(box, "1000{Enter}");
    expect(asked("settings.save")).toEqual([]);
    expect((box as HTMLInputElement).value).toBe("12");
    await person.clear(box);
    await person.type(box, "20{Enter}");
    await waitFor(() => expect(asked("settings.save")).toEqual([expect.objectContaining({ stepLimit: 20 })]));
  });

  it("changes the theme at once, and back with a word when it can't be saved", async () => {
    const { person } = tab("appearance", {}, { "settings.save": () => { throw new ProblemError({ code: "store.full", what: "The disk is full.", next: "Free some space." }); } });
    await person.click(await screen.findByRole("radio", { name: "Dark" }));
    expect(await screen.findByText(/The disk is full/)).toBeTruthy();
    expect(screen.getByRole("radio", { name: "Light" }).getAttribute("aria-checked")).toBe("true");
  });
});

describe("models", () => {
  it("offers the servers that run here, and uses one with one press", async () => {
    const { person, asked } = tab("models");
    await person.click(await screen.findByRole("button", { name: "Use Ollama" }));
    await waitFor(() => expect(asked("models.save")).toEqual([{ baseURL: "http://127.0.0.1:11434/v1", model: "qwen3:8b" }]));
    expect(await screen.findByText("New chats use qwen3:8b now.")).toBeTruthy();
  });

  it("goes back to direct mode", async () => {
    const { person, asked } = tab("models", { model: { baseURL: "http://127.0.0.1:11434/v1", model: "qwen3:8b" } });
    await person.click(await screen.findByRole("button", { name: "Use No model: direct mode" }));
    await waitFor(() => expect(asked("models.save")).toEqual([{ baseURL: "", model: "" }]));
  });

  it("tests an address in words, and saves it with a model", async () => {
    const { person, asked } = tab("models", { found: [{ name: "llama.cpp", baseURL: "http://127.0.0.1:8080/v1", models: ["a", "b"] }] });
    await person.type(await screen.findByRole("textbox", { name: "Base address" }), "http://127.0.0.1:8080/v1");
    await person.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByText("It answers, with 2 models.")).toBeTruthy();
    await person.type(screen.getByRole("combobox", { name: "Model" }), "c");
    expect(screen.getByText("It answers, but does not list c.")).toBeTruthy();
    await person.keyboard("{Backspace}b");
    await person.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked("models.save")).toEqual([{ baseURL: "http://127.0.0.1:8080/v1", model: "b" }]));
  });

  it("says what is wrong with an address that does not answer", async () => {
    const { person } = tab("models");
    await person.type(await screen.findByRole("textbox", { name: "Base address" }), "http://127.0.0.1:9/v1");
    await person.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByText("No model server answers at http://127.0.0.1:9/v1.")).toBeTruthy();
  });

  it("says so when none runs here", async () => {
    tab("models", { found: [] });
    expect(await screen.findByText("No model server answers on this computer")).toBeTruthy();
  });
});

describe("tools", () => {
  it("are searched, switched, and given access, each by name", async () => {
    const { person, asked } = tab("tools");
    await person.type(await screen.findByRole("searchbox", { name: "Search tools" }), "clean");
    expect(screen.queryByText("Word count")).toBeNull();
    await person.click(screen.getByRole("switch", { name: "Offer Clean text to the model" }));
    await waitFor(() => expect(asked("tools.setEnabled")).toEqual([expect.objectContaining({ tool: "clean_text", enabled: false })]));
    await person.click(screen.getByRole("button", { name: "Permissions of Clean text" }));
    screen.getByRole("combobox", { name: "Clean text: Run pandoc" }).focus();
    await person.keyboard("{Enter}");
    await person.click(await screen.findByRole("option", { name: "Allowed" }));
    await waitFor(() => expect(asked("extensions.setGrant")).toEqual([expect.objectContaining({ tool: "clean_text", key: "run:pandoc", decision: "allow" })]));
  });

  it("run from a form, in a chat of their own", async () => {
    const { person, asked } = tab("tools");
    await person.click(await screen.findByRole("button", { name: "Run Word count…" }));
    const dialog = screen.getByRole("dialog", { name: "Word count" });
    await person.type(within(dialog).getByRole("textbox", { name: "Text" }), "one two");
    await person.click(within(dialog).getByRole("button", { name: "Run" }));
    await waitFor(() => expect(asked("chat.run")).toEqual([{ session: "s3", address: "loca-extension-wordcount/word_count", args: { text: "one two" } }]));
    expect(useTabs.getState()).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("run by keyboard too where they need nothing", async () => {
    const nothing = { ...extensions[3]!, toolViews: [{ ...extensions[3]!.toolViews![0]!, tool: { ...extensions[3]!.toolViews![0]!.tool, schema: { type: "object" } } }] };
    const { person, asked } = tab("tools", { extensions: [nothing] });
    await person.click(await screen.findByRole("button", { name: "Run Word count…" }));
    await person.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(asked("chat.run")).toEqual([expect.objectContaining({ args: {} })]));
  });

  it("show what the core has against the arguments at their field, and leave no empty chat behind", async () => {
    const refused: Problem = { code: "call.bad-arguments", what: "The arguments don't fit.", issues: [{ place: "text", what: "must be shorter" }] };
    const { person, asked } = tab("tools", {}, { "chat.run": () => { throw new ProblemError(refused); } });
    await person.click(await screen.findByRole("button", { name: "Run Word count…" }));
    await person.type(screen.getByRole("textbox", { name: "Text" }), "x");
    await person.keyboard("{Control>}{Enter}{/Control}");
    expect(await screen.findByText("must be shorter")).toBeTruthy();
    await person.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(asked("chat.run")).toHaveLength(2));
    expect(asked("sessions.create")).toHaveLength(1);
    await person.click(screen.getByRole("button", { name: "Cancel" }));
    expect(asked("sessions.delete")).toEqual([{ id: "s3" }]);
  });

  it("say what to do where there are none", async () => {
    tab("tools", { extensions: [] });
    expect(await screen.findByRole("button", { name: "Go to Extensions" })).toBeTruthy();
  });
});

describe("extensions", () => {
  it("say what to do next where there are none", async () => {
    const { person } = tab("extensions", { extensions: [] });
    await person.click(await screen.findByRole("button", { name: "Add" }));
    await person.click(await screen.findByRole("menuitem", { name: "From a folder…" }));
    await person.type(screen.getByRole("textbox", { name: "Folder" }), "/home/ana/Code/text-cleaner{Enter}");
    expect(await screen.findByRole("dialog", { name: "Text Cleaner" })).toBeTruthy();
  });

  it("open the system's dialog in a native window, and take a path there too", async () => {
    const { person, asked } = tab("extensions", { extensions: [], info: { ...info, native: true } });
    await screen.findByRole("button", { name: "Add" });
    await waitFor(() => expect(asked("system.about")).toHaveLength(1));
    await person.click(screen.getByRole("button", { name: "Add" }));
    expect(await screen.findByRole("menuitem", { name: "From a path…" })).toBeTruthy();
    await person.click(screen.getByRole("menuitem", { name: "From a folder…" }));
    expect(await screen.findByRole("dialog", { name: "Text Cleaner" })).toBeTruthy();
  });

  it("offer what came with Portico again, once it is gone", async () => {
    const { person } = tab("extensions", {}, { "extensions.restoreBuiltIn": () => { throw new ProblemError({ code: "planted.older", what: "A newer version is installed." }); } });
    await person.click(await screen.findByRole("button", { name: "Add" }));
    await person.click(await screen.findByRole("menuitem", { name: "The built-in tools" }));
    expect(await screen.findByText(/newer version/)).toBeTruthy();
  });

  it("are switched in the list, and back when the core can't", async () => {
    const { person } = tab("extensions", {}, { "extensions.setEnabled": () => { throw new ProblemError({ code: "install.busy", what: "Another Portico is installing." }); } });
    const turn = await screen.findByRole("switch", { name: "Word Count, on or off" });
    await person.click(turn);
    expect(await screen.findByText(/Another Portico is installing/)).toBeTruthy();
    expect(turn.getAttribute("aria-checked")).toBe("true");
  });

  it("show why one was stopped, and what mends it", async () => {
    const { person } = tab(pageOf("loca-extension-logtail"));
    const alert = await screen.findByRole("alert");
    expect(within(alert).getByText(/changed after it was installed/)).toBeTruthy();
    await person.click(within(alert).getByRole("button", { name: "Install it again…" }));
    expect(useInstall.getState().reviewing).toBe("/home/ana/Code/loca-extension-logtail");
  });

  it("say that one may touch nothing, and who holds it to that", async () => {
    tab(pageOf("loca-extension-wordcount"));
    expect(await screen.findByText("Nothing on this computer")).toBeTruthy();
    expect(await screen.findByText("held by the system")).toBeTruthy();
  });

  it("show each permission with its reason, its place and its risk", async () => {
    tab(cleaner);
    for (const text of ["Write to your Downloads", "“Save the cleaned file where you can find it.”", "/home/ana/Downloads", "can replace files there", "can do anything you can"]) expect(await screen.findByText(text)).toBeTruthy();
  });

  it("let a person read the files and the log", async () => {
    const { person } = tab(cleaner);
    await person.click((await screen.findAllByRole("button", { name: "Read its files" }))[0]!);
    expect(await screen.findByText(/"displayName": "Text Cleaner"/)).toBeTruthy();
    await person.click(screen.getByRole("button", { name: /index.js/ }));
    expect(await screen.findByText(/export function cleanText/)).toBeTruthy();
    await person.keyboard("{Escape}");
    await person.click(screen.getByRole("button", { name: "See its log" }));
    expect(await screen.findByText(/counted 3112 words/)).toBeTruthy();
  });

  it("are removed only after it was said what is lost", async () => {
    const { person, asked } = tab(cleaner);
    await person.click(await screen.findByRole("button", { name: "More" }));
    await person.click(await screen.findByRole("menuitem", { name: "Remove…" }));
    expect(asked("extensions.remove")).toEqual([]);
    await person.click(within(await screen.findByRole("dialog", { name: "Remove Text Cleaner?" })).getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(asked("extensions.remove")).toHaveLength(1));
    expect(await screen.findByText("Text Cleaner was removed.")).toBeTruthy();
  });

  it("that can't be listed say why, and are asked for again", async () => {
    let fails = true;
    const { person } = tab("extensions", {}, {
      "extensions.list": () => {
        if (fails) throw new ProblemError({ code: "lock.broken", what: "The list of installed extensions is damaged." });
        return extensions;
      },
    });
    expect(await screen.findByText("The list of installed extensions is damaged.")).toBeTruthy();
    fails = false;
    await person.click(screen.getByRole("button", { name: "Try again" }));
    expect((await screen.findAllByText("Word Count")).length).toBeGreaterThan(0);
  });
});

describe("the review before an install", () => {
  const open = (...rest: [Parameters<typeof draw>[1]?, Parameters<typeof draw>[2]?, string?]) => {
    useInstall.setState({ reviewing: "/home/ana/Code/text-cleaner" });
    return draw(<InstallDialog />, ...rest);
  };

  it("installs with all tools off, unless they are switched on", async () => {
    const { person, asked } = open();
    await person.click(await screen.findByRole("button", { name: "Install, all off" }));
    await waitFor(() => expect(asked("extensions.install")).toEqual([expect.objectContaining({ source: "/home/ana/Code/text-cleaner", tools: [], fingerprint: "8617dfd7" })]));
    expect(await screen.findByText("Text Cleaner is installed.")).toBeTruthy();
    expect(useInstall.getState().reviewing).toBeNull();
  });

  it("installs the tools that were switched on, on", async () => {
    const { person, asked } = open();
    await person.click(await screen.findByRole("switch", { name: "Switch on Count spaces" }));
    expect(screen.getByRole("button", { name: "Install and switch on 1" })).toBeTruthy();
    await person.click(screen.getByRole("button", { name: "Switch all on" }));
    await person.click(screen.getByRole("button", { name: "Install and switch on 2" }));
    await waitFor(() => expect(asked("extensions.install")).toEqual([expect.objectContaining({ tools: ["clean_text", "count_spaces"] })]));
  });

  it("starts with nothing under Enter", async () => {
    const { person, asked } = open();
    await screen.findByRole("dialog", { name: "Text Cleaner" });
    await person.keyboard("{Enter}");
    expect(asked("extensions.install")).toEqual([]);
  });

  it("shows how far it is, and is cancelled at any point", async () => {
    const { person, asked } = open({ install: "never" });
    await person.click(await screen.findByRole("button", { name: "Install, all off" }));
    expect((await screen.findByRole("progressbar", { name: "Progress of the installation" })).getAttribute("aria-valuenow")).toBe("62");
    expect(screen.getByText("lib/spaces.js")).toBeTruthy();
    await person.keyboard("{Escape}");
    expect(screen.getByRole("dialog")).toBeTruthy();
    await person.click(screen.getByRole("button", { name: "Cancel" }));
    expect(await screen.findByText("Cancelled. Nothing was installed.")).toBeTruthy();
    expect(asked("extensions.cancelInstall")).toHaveLength(1);
    expect(screen.queryByRole("progressbar")).toBeNull();
  });

  it("says in its place what went wrong, and can be tried again", async () => {
    const { person } = open({ install: { code: "install.disk-full", what: "The disk is full.", next: "Make room." } });
    await person.click(await screen.findByRole("button", { name: "Install, all off" }));
    expect(await within(screen.getByRole("dialog")).findByText("The disk is full.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Install, all off" }).getAttribute("aria-busy")).toBeNull();
  });

  it("looks again where the files changed in the meantime", async () => {
    const { person, asked } = open({ install: { code: "install.changed", what: "The files changed since you looked at them." } });
    await person.click(await screen.findByRole("button", { name: "Install, all off" }));
    await person.click(await screen.findByRole("button", { name: "Look again" }));
    await waitFor(() => expect(asked("extensions.review")).toHaveLength(2));
  });

  it("lists every broken rule with its place", async () => {
    open({ review: broken });
    const dialog = await screen.findByRole("dialog", { name: "It cannot be installed" });
    for (const issue of broken.issues ?? []) {
      expect(await within(dialog).findByText(issue.place)).toBeTruthy();
      expect(within(dialog).getByText(issue.what)).toBeTruthy();
    }
  });

  it("says which copy it replaces, what is held how, and what the author should mend", async () => {
    open({ review: { ...review, containment: { level: "runtime", what: "" }, warnings: [{ place: "icon", what: "is not known", warning: true }], replaces: { ...extensions[2]!, extension: { ...extensions[2]!.extension, version: "1.0.0" } } } });
    for (const text of ["Replaces version 1.0.0, installed now", "only the runtime's own limits on this computer", "is not known"]) expect(await screen.findByText(text)).toBeTruthy();
  });

  it("is whole in Spanish", async () => {
    open({}, {}, "es");
    for (const name of ["Cancelar", "Instalar, todo desactivado", "Activar todas"]) expect(await screen.findByRole("button", { name })).toBeTruthy();
    expect(screen.getByText("puede reemplazar archivos de ahí")).toBeTruthy();
  });
});

describe("what this Portico is", () => {
  it("names version, system, containment and what is missing", async () => {
    tab("about");
    for (const text of ["Version 0.1.0", "linux/amd64", "Landlock ABI 7, seccomp", "The system can't keep secrets here. Start Portico in a desktop session that has a keyring."]) expect(await screen.findByText(text)).toBeTruthy();
  });

  it("says what leaves this computer", async () => {
    tab("privacy", { model: { baseURL: "http://127.0.0.1:11434/v1", model: "m" } });
    expect(await screen.findByText("To http://127.0.0.1:11434/v1.")).toBeTruthy();
    expect(await screen.findByText("/home/ana/.local/share/portico")).toBeTruthy();
  });

  it("lists every shortcut there is", async () => {
    tab("shortcuts");
    expect(await screen.findByText("Find anything")).toBeTruthy();
    expect(screen.getByText("Ctrl K")).toBeTruthy();
  });
});

describe("a server's key", () => {
  const remote = "https://models.example/v1";
  const server = { model: { baseURL: remote, model: "a" }, found: [{ name: "Example", baseURL: remote, models: ["a"] }], vault: { ...vault, names: [] } };

  it("goes into the vault when it is saved, and is not shown again", async () => {
    const { person, asked } = tab("models", server);
    await person.type(await screen.findByLabelText("Key"), "sk-secret");
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("In the vault. It is sent to this server alone.")).toBeTruthy();
    expect(asked("models.setKey")).toEqual([{ baseURL: remote, key: "sk-secret" }]);
    expect(asked("models.save")).toEqual([]);
    expect(document.body.innerHTML).not.toContain("sk-secret");
  });

  it("is in the vault before its server is asked", async () => {
    const { person, core } = tab("models", { ...server, model: { baseURL: "", model: "" } });
    await person.type(await screen.findByRole("textbox", { name: "Base address" }), remote);
    await person.type(screen.getByLabelText("Key"), "sk-secret");
    await person.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByText(/It answers, with 1 model/)).toBeTruthy();
    const order = core.calls.map((call) => call.method).filter((method) => method === "models.setKey" || method === "models.list");
    expect(order).toContain("models.setKey");
    expect(order.at(-1)).toBe("models.list");
  });

  it("is replaced, or kept as it is, and removed only when that is confirmed", async () => {
    const { person, asked } = tab("models", { ...server, vault: { ...vault, names: [{ name: keyName(remote), kind: "model", label: "models.example", bytes: 9 }] } });
    await person.click(await screen.findByRole("button", { name: "Replace" }));
    await person.click(screen.getByRole("button", { name: "Leave it as it is" }));
    await person.click(screen.getByRole("button", { name: "Remove" }));
    await person.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove" }));
    expect(await screen.findByLabelText("Key")).toBeTruthy();
    expect(asked("models.clearKey")).toEqual([{ baseURL: remote }]);
  });

  it("that cannot be kept says so, with the way to the vault", async () => {
    const { person } = tab("models", server, { "models.setKey": () => { throw new ProblemError({ code: "vault.passphrase", what: "The vault is closed.", next: "Type its passphrase." }); } });
    await person.type(await screen.findByLabelText("Key"), "sk-secret");
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("The vault is closed.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Go to Vault" })).toBeTruthy();
    expect((screen.getByLabelText("Key") as HTMLInputElement).value).toBe("sk-secret");
  });

  it.each([["https://a.example/v1/", "model:https://a.example/v1"], [" http://127.0.0.1:1/v1 ", "model:http://127.0.0.1:1/v1"]])("of %j is named %s", (address, name) => expect(keyName(address)).toBe(name));
});

describe("a passphrase typed twice", () => {
  it.each([["", "", undefined, undefined, false], ["short", "", undefined, undefined, false], ["short", "sho", "tooShort", undefined, false], ["long enough", "long", undefined, undefined, false], ["long enough", "lang", undefined, "notSame", false], ["long enough", "long enough", undefined, undefined, true], ["       a", "       a", "tooShort", undefined, false]] as const)("%j and %j", (phrase, again, first, second, good) =>
    expect(phraseFaults(phrase, again)).toEqual({ phrase: first, again: second, good }));
});

describe("the vault", () => {
  it("names what is in it and who uses it, and asks for a value only when told to", async () => {
    const { person, asked } = tab("vault");
    expect(await screen.findByText("JOKES_API_KEY")).toBeTruthy();
    expect(screen.getByText(/Setting of Jokebook/)).toBeTruthy();
    expect(asked("vault.reveal")).toEqual([]);
    await person.click(screen.getByRole("button", { name: "Show the value of House alarm" }));
    expect(await screen.findByText("value of House alarm")).toBeTruthy();
    await person.click(screen.getByRole("button", { name: "Hide the value of House alarm" }));
    expect(screen.queryByText("value of House alarm")).toBeNull();
  });

  it("removes only what is confirmed", async () => {
    const { person, asked } = tab("vault");
    await person.click(await screen.findByRole("button", { name: "More for House alarm" }));
    await person.click(screen.getByRole("menuitem", { name: "Remove…" }));
    await person.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove" }));
    expect(await screen.findByText("House alarm was removed.")).toBeTruthy();
    expect(asked("vault.remove")).toEqual([{ name: "House alarm" }]);
    await waitFor(() => expect(screen.queryByText("House alarm")).toBeNull());
  });

  it("is opened by its passphrase, and says at the field when it is another", async () => {
    const { person } = tab("vault", { vault: vaultClosed("passphrase") });
    const field = await screen.findByLabelText("Passphrase");
    await person.type(field, "wrong one{Enter}");
    expect(await screen.findByText("That is not the vault's passphrase.")).toBeTruthy();
    expect((screen.getByRole("button", { name: "Show the value of House alarm" }) as HTMLButtonElement).disabled).toBe(true);
    await person.clear(field);
    await person.type(field, "correct horse{Enter}");
    expect(await screen.findByText("A passphrase has its key")).toBeTruthy();
  });

  it("without a keyring takes a passphrase in its place", async () => {
    const { person, asked } = tab("vault", { vault: vaultClosed("missing", []) });
    await person.click(await screen.findByRole("button", { name: "Use a passphrase…" }));
    await person.type(screen.getByLabelText("Passphrase"), "four words or five");
    await person.type(screen.getByLabelText("The same again"), "four words or five");
    await person.click(screen.getByRole("button", { name: "Use this passphrase" }));
    expect(await screen.findByText("A passphrase has its key")).toBeTruthy();
    expect(asked("vault.setPassphrase")).toEqual([{ passphrase: "four words or five" }]);
  });

  it("whose key is out of reach is begun anew in the same step, and says what is kept", async () => {
    const { person } = tab("vault", { vault: vaultClosed("slow", []) }, { "vault.setPassphrase": () => { throw new ProblemError({ code: "vault.out-of-reach", what: "The key can't be reached.", next: "Start anew." }); } });
    await person.click(await screen.findByRole("button", { name: "Use a passphrase…" }));
    await person.type(screen.getByLabelText("Passphrase"), "four words or five");
    await person.type(screen.getByLabelText("The same again"), "four words or five");
    await person.click(screen.getByRole("button", { name: "Use this passphrase" }));
    await person.click(await screen.findByRole("button", { name: "Start a new vault" }));
    expect(await screen.findByText(/vault-8617dfd7c2a94b1e\.json/)).toBeTruthy();
  });

  it.each([["locked", "The system's keyring is locked"], ["slow", "The system's keyring does not answer"], ["missing", "This system has no keyring"]] as const)("that is %s says so, and asks again", async (state, words) => {
    const { person, asked } = tab("vault", { vault: vaultClosed(state) });
    expect(await screen.findByText(words)).toBeTruthy();
    await person.click(screen.getByRole("button", { name: "Try again" }));
    expect(asked("vault.retry")).toHaveLength(1);
    expect(screen.getByRole("button", { name: "Start a new vault…" })).toBeTruthy();
  });

  it("without its key can only be begun anew, by keyring or passphrase", async () => {
    const { person, asked } = tab("vault", { vault: vaultClosed("broken") });
    await person.click(await screen.findByRole("button", { name: "Start a new vault…" }));
    await person.click(screen.getByRole("radio", { name: "A passphrase" }));
    expect((screen.getByRole("button", { name: "Start a new vault" }) as HTMLButtonElement).disabled).toBe(true);
    await person.click(screen.getByRole("radio", { name: "The system's keyring" }));
    await person.click(screen.getByRole("button", { name: "Start a new vault" }));
    expect(await screen.findByText("The vault before is kept")).toBeTruthy();
    expect(asked("vault.startAnew")).toEqual([{ passphrase: "" }]);
  });
});
