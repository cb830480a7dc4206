import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { voice, voiceFetchable } from "../../../test/fixtures";
import { draw } from "../../../test/render";
import { complete } from "./listen";
import { VoicePage, voicesOf } from "./page";
import { base64Of, bytesOf, wavOf } from "./sound";

const open = (...rest: [Parameters<typeof draw>[1]?, Parameters<typeof draw>[2]?]) => draw(<VoicePage />, ...rest);
const speaks = { voice: { ...voice, speak: { ...voice.speak, on: true } } };
const listens = { voice: { ...voice, listen: { ...voice.listen, on: true, engine: "program", program: "pocketsphinx", arguments: "single {file}" } } };

describe("reading aloud", () => {
  it("is off until it is switched on", async () => {
    const { person, asked } = open();
    const on = await screen.findByRole("switch", { name: "Read aloud" });
    expect(on.getAttribute("aria-checked")).toBe("false");
    expect(screen.queryByRole("button", { name: "Play" })).toBeNull();
    await person.click(on);
    expect(await screen.findByRole("button", { name: "Play" })).toBeTruthy();
    expect(asked("voice.save")).toEqual([{ speak: { ...voice.speak, on: true }, listen: voice.listen }]);
  });

  it("offers the voices of what speaks", async () => {
    const { person, asked } = open(speaks);
    await person.click(await screen.findByRole("combobox", { name: "Voice" }));
    await person.click(screen.getByRole("option", { name: "Spanish (Spain) · es" }));
    await waitFor(() => expect(asked("voice.save")).toEqual([expect.objectContaining({ speak: { ...voice.speak, on: true, voice: "es" } })]));
  });

  it("keeps a server only once it has an address", async () => {
    const { person, asked } = open(speaks);
    await person.click(await screen.findByRole("combobox", { name: "What speaks" }));
    await person.click(screen.getByRole("option", { name: "A server" }));
    expect(asked("voice.save")).toEqual([]);
    expect((screen.getByRole("button", { name: "Save" }) as HTMLButtonElement).disabled).toBe(true);
    await person.type(screen.getByRole("textbox", { name: "Base address" }), "https://voice.example/v1{Enter}");
    await waitFor(() => expect(asked("voice.save")).toEqual([expect.objectContaining({ speak: { ...voice.speak, on: true, engine: "endpoint", endpoint: "https://voice.example/v1" } })]));
  });

  it("says when this window cannot play", async () => {
    const { person, asked } = open(speaks);
    await person.click(await screen.findByRole("button", { name: "Play" }));
    expect(await screen.findByText("This window can't play sound.")).toBeTruthy();
    expect(asked("voice.speak")).toEqual([{ text: "This is how Portico sounds when it reads to you." }]);
  });

  it.each([["", 2], ["espeak-ng", 2], ["say", 0], ["endpoint", 0]])("by %j has %d voices", (engine, count) => expect(voicesOf(voice.found!, engine)).toHaveLength(count));
});

describe("a voice that can be fetched", () => {
  const mute = { voice: { ...voice, found: [voiceFetchable] } };
  it("says what it takes before, comes, and goes again", async () => {
    const { person } = open(mute);
    expect(await screen.findByText("No voice on this computer")).toBeTruthy();
    expect(screen.getByText(/9\.3 MB, GPL-3\.0-or-later/)).toBeTruthy();
    await person.click(screen.getByRole("button", { name: "Fetch" }));
    expect(await screen.findByText(/Fetched\. It speaks without a network/)).toBeTruthy();
    await person.click(screen.getByRole("button", { name: "Remove" }));
    expect(await screen.findByText("No voice on this computer")).toBeTruthy();
  });

  it("shows how far it is, and can be cancelled", async () => {
    const { person, asked } = open({ ...mute, fetch: "never" });
    await person.click(await screen.findByRole("button", { name: "Fetch" }));
    expect((await screen.findByRole("progressbar")).getAttribute("aria-valuenow")).toBe("40");
    await person.click(screen.getByRole("button", { name: "Cancel" }));
    expect(await screen.findByText("Cancelled. Nothing was kept.")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    const [{ job }] = asked("voice.fetch") as [{ job: string }];
    expect(asked("extensions.cancelInstall")).toEqual([{ job }]);
  });

  it("says why it did not come", async () => {
    const { person } = open({ ...mute, fetch: { code: "voice.bad-package", what: "What was fetched is not the voice that it should be." } });
    await person.click(await screen.findByRole("button", { name: "Fetch" }));
    expect(await screen.findByText("What was fetched is not the voice that it should be.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Fetch" })).toBeTruthy();
  });
});

describe("writing down speech", () => {
  it("is on only once it is said what does it", async () => {
    const { person, asked } = open();
    await person.click(await screen.findByRole("switch", { name: "Write down speech" }));
    expect(asked("voice.save")).toEqual([]);
    await person.click(screen.getByRole("radio", { name: "A program" }));
    await person.type(screen.getByRole("textbox", { name: "Program" }), "pocketsphinx");
    await person.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked("voice.save")).toEqual([{ speak: voice.speak, listen: { ...voice.listen, on: true, engine: "program", program: "pocketsphinx", arguments: "{file}" } }]));
    expect(await screen.findByText("Saved.")).toBeTruthy();
    expect(await screen.findByRole("button", { name: "Choose a recording…" })).toBeTruthy();
  });

  it("shows what was understood of a recording", async () => {
    const { person, asked } = open(listens);
    await screen.findByRole("button", { name: "Choose a recording…" });
    await person.upload(screen.getByLabelText("Choose a recording…", { selector: "input" }), new File([new Uint8Array([1, 2, 3])], "a.wav", { type: "audio/wav" }));
    expect(await screen.findByText("“go forward ten meters”")).toBeTruthy();
    expect(asked("voice.transcribe")).toEqual([{ dataB64: "AQID", mime: "audio/wav", language: "en" }]);
  });

  it("offers a file where there is no microphone", async () => {
    const { person } = open(listens);
    await person.click(await screen.findByRole("button", { name: "Record" }));
    expect(await screen.findByText(/The microphone can't be used here/)).toBeTruthy();
  });

  it("is switched off at once", async () => {
    const { person, asked } = open(listens);
    await person.click(await screen.findByRole("switch", { name: "Write down speech" }));
    await waitFor(() => expect(asked("voice.save")).toEqual([expect.objectContaining({ listen: expect.objectContaining({ on: false, program: "pocketsphinx" }) })]));
  });

  it.each([[{ engine: "" }, false], [{ engine: "endpoint", endpoint: " " }, false], [{ engine: "endpoint", endpoint: "x" }, true], [{ engine: "program", program: "p", arguments: "" }, false], [{ engine: "program", program: "p", arguments: "-i {file}" }, true]])("with %j is complete: %s", (part, expected) => expect(complete({ ...voice.listen, ...part })).toBe(expected));
});

describe("a WAV file", () => {
  it("has a head that says what follows, and samples within 16 bits", () => {
    const wav = wavOf(new Float32Array([0, 1, -1, 2]), 16_000);
    const view = new DataView(wav.buffer);
    expect(String.fromCharCode(...wav.subarray(0, 4), ...wav.subarray(8, 16))).toBe("RIFFWAVEfmt ");
    expect([view.getUint32(4, true), view.getUint32(24, true), view.getUint32(40, true)]).toEqual([44, 16_000, 8]);
    expect([0, 1, 2, 3].map((n) => view.getInt16(44 + 2 * n, true))).toEqual([0, 32767, -32767, 32767]);
  });
  it("goes through base64 whole, however long it is", () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, n) => n % 256);
    expect(bytesOf(base64Of(bytes))).toEqual(bytes);
  });
});
