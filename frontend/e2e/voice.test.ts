import { createServer, type Server, type ServerResponse } from "node:http";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Portico } from "./portico";

/** The voice: off at first; espeak-ng speaks, a program of the person's writes down, and a voice is fetched on request. */
const portico = new Portico();
const path = process.env.PATH ?? "";
/** A registry of the tests: it never gives the voice, and later something else in its place. */
let registry: Server;
const { integrity } = JSON.parse(readFileSync(join(import.meta.dirname, "../../backend/voice/espeak-ng.json"), "utf8")) as { integrity: string };
let held: ServerResponse[] = [];
let wrong = false;

beforeAll(async () => {
  registry = createServer((request, response) => {
    if (!wrong) return void held.push(response);
    if (request.url?.endsWith(".tgz")) return void response.writeHead(200).end("not the voice");
    const tarball = `http://${request.headers.host}/espeak-ng/-/espeak-ng-1.0.2.tgz`;
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ name: "espeak-ng", versions: { "1.0.2": { name: "espeak-ng", version: "1.0.2", dist: { tarball, integrity } } } }));
  });
  await new Promise<void>((done) => registry.listen(0, "127.0.0.1", done));
  // It counts before any file: the one of who runs the tests must not be asked.
  for (const name of Object.keys(process.env)) if (/^npm_config_registry$/i.test(name)) delete process.env[name];
  process.env.npm_config_registry = `http://127.0.0.1:${(registry.address() as { port: number }).port}/`;
  await portico.start();
});
afterAll(async () => {
  process.env.PATH = path;
  await portico.end();
  registry.closeAllConnections();
  await new Promise((done) => registry.close(done));
});
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await portico.picture("e2e-failed");
});

const page = () => portico.page;
async function voicePage(): Promise<void> {
  await page().keyboard.press("Control+,");
  await page().getByRole("button", { name: "Voice", exact: true }).click();
  await page().getByRole("switch", { name: "Read aloud" }).waitFor();
}

it("is off, and speaks once it is switched on", async () => {
  await voicePage();
  expect(await page().getByRole("button", { name: "Play" }).count()).toBe(0);
  expect(await portico.barriers()).toEqual([]);
  await page().getByRole("switch", { name: "Read aloud" }).click();
  await page().getByRole("combobox", { name: "Speed" }).click();
  await page().getByRole("option", { name: "2 ×", exact: true }).click();
  await page().getByRole("textbox", { name: "Text to read aloud" }).fill("Good evening.");
  await page().getByRole("button", { name: "Play" }).click();
  await page().getByText(/That was [\d.]+ seconds of sound\./).waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-voice");
});

it("lets a program of the person's write down what a recording says", async () => {
  const program = join(portico.person, "writes-down");
  writeFileSync(program, '#!/bin/sh\nprintf "%s bytes were heard" "$(wc -c < "$1")"\n');
  chmodSync(program, 0o755);
  await page().getByRole("switch", { name: "Write down speech" }).click();
  await page().getByRole("radio", { name: "A program" }).click();
  await page().getByRole("textbox", { name: "Program" }).fill(program);
  await page().getByRole("button", { name: "Save" }).click();
  await page().getByRole("button", { name: "Choose a recording…" }).waitFor();
  await page().locator("input[type=file]").setInputFiles({ name: "a.wav", mimeType: "audio/wav", buffer: Buffer.alloc(1234) });
  await page().getByText("“1234 bytes were heard”").waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-voice-heard");
});

it("where nothing speaks offers a voice to fetch, which can be cancelled and is refused when it is another", async () => {
  // Everything that is on the path but for the voices.
  const bin = join(portico.person, "bin");
  mkdirSync(bin);
  for (const folder of path.split(delimiter).filter(existsSync)) {
    for (const name of readdirSync(folder)) if (!/^(espeak|speak)/.test(name) && !existsSync(join(bin, name))) try { symlinkSync(join(folder, name), join(bin, name)); } catch { /* a name that leads nowhere */ }
  }
  process.env.PATH = bin;
  await portico.restart();
  await voicePage();
  await page().getByText("No voice on this computer").waitFor();
  await page().getByText(/GPL-3\.0/).waitFor();
  await page().getByRole("button", { name: "Fetch" }).click();
  await page().getByRole("progressbar", { name: "Fetching the voice" }).waitFor();
  await expect.poll(() => held.length).toBeGreaterThan(0);
  await portico.picture("e2e-voice-fetching");
  await page().getByRole("button", { name: "Cancel" }).click();
  await page().getByText("Cancelled. Nothing was kept.").first().waitFor();
  for (const response of held) response.destroy();
  held = [];
  wrong = true;
  await page().getByRole("button", { name: "Fetch" }).click();
  await page().getByRole("alert").first().waitFor();
  await page().getByRole("button", { name: "Fetch" }).waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-voice-refused");
  const kept = readdirSync(portico.home, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("espeak-ng.wasm"));
  expect(kept).toEqual([]);
});

it("never complained", () => {
  expect(portico.complaints).toEqual([]);
});
