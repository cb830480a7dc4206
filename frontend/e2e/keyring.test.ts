import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Portico } from "./portico";

/** The vault over a real Secret Service on a bus of its own: open, locked, hanging, gone. */
describe.runIf(process.platform === "linux")("a system's keyring", () => {
  const portico = new Portico();
  const home = mkdtempSync(join(tmpdir(), "portico-keyring-"));
  const key = "sk-keyring-77b1";
  let bus: ChildProcess;
  let keyring: ChildProcess | undefined;
  let env: NodeJS.ProcessEnv;

  async function startKeyring(): Promise<void> {
    const child = spawn("gnome-keyring-daemon", ["--unlock", "--foreground", "--components=secrets", `--control-directory=${home}`], { env, stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.end("a password");
    keyring = child;
    await vi.waitUntil(() => send("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets").includes("true"), { timeout: 10_000 });
  }
  async function stopKeyring(): Promise<void> {
    if (!keyring) return;
    const ended = new Promise((done) => keyring!.once("exit", done));
    keyring.kill("SIGKILL");
    await ended;
    keyring = undefined;
  }
  /** Says something on the bus, and gives the answer. */
  const send = (path: string, to: string, method: string, ...args: string[]): string => spawnSync("dbus-send", ["--session", "--print-reply", `--dest=${to}`, path, method, ...args], { env, encoding: "utf8" }).stdout;

  beforeAll(async () => {
    bus = spawn("dbus-daemon", ["--session", "--nofork", "--print-address"], { stdio: ["ignore", "pipe", "ignore"] });
    const address = await new Promise<string>((done) => createInterface(bus.stdout!).once("line", done));
    env = { ...process.env, HOME: home, XDG_DATA_HOME: join(home, "data"), XDG_RUNTIME_DIR: home, DBUS_SESSION_BUS_ADDRESS: address };
    process.env.DBUS_SESSION_BUS_ADDRESS = address;
    await startKeyring();
    await portico.start();
  });
  afterAll(async () => {
    await portico.end();
    await stopKeyring();
    const ended = new Promise((done) => bus.once("exit", done));
    bus.kill();
    await ended;
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await portico.picture("e2e-failed");
  });

  const page = () => portico.page;
  async function settings(name: string): Promise<void> {
    await page().keyboard.press("Control+,");
    await page().getByRole("button", { name, exact: true }).click();
    await page().getByRole("heading", { name, level: 1 }).waitFor();
  }
  const says = (text: string) => page().getByText(text, { exact: true }).waitFor();

  it("has the vault's key, moves it to a passphrase, and takes it back", async () => {
    await settings("Models");
    await page().getByLabel("Base address").fill("http://127.0.0.1:9/v1");
    await page().getByLabel("Model", { exact: true }).fill("any");
    await page().getByLabel("Key", { exact: true }).fill(key);
    await page().getByRole("button", { name: "Save" }).click();
    await says("In the vault. It is sent to this server alone.");
    await settings("Vault");
    await says("The system's keyring has its key");
    await portico.picture("e2e-keyring");
    await page().getByRole("button", { name: "Use a passphrase…" }).click();
    await page().getByLabel("Passphrase", { exact: true }).fill("gravel lantern oboe");
    await page().getByLabel("The same again").fill("gravel lantern oboe");
    await page().getByRole("button", { name: "Use this passphrase" }).click();
    await says("A passphrase has its key");
    await page().getByRole("button", { name: "Use the keyring" }).click();
    await says("The system's keyring has its key");
  });

  it("that is locked is told, and the names are still there", async () => {
    send("/org/freedesktop/secrets", "org.freedesktop.secrets", "org.freedesktop.Secret.Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login");
    await portico.restart();
    await settings("Vault");
    await says("The system's keyring is locked");
    await says("127.0.0.1:9");
    expect(await page().getByRole("button", { name: /Show the value/ }).isDisabled()).toBe(true);
    expect(await portico.barriers()).toEqual([]);
    await portico.picture("e2e-keyring-locked");
  });

  it("that hangs is told after three seconds, and holds up nothing else", async () => {
    keyring!.kill("SIGSTOP");
    await portico.restart();
    await settings("Vault");
    await says("The system's keyring does not answer");
    await portico.picture("e2e-keyring-slow");
    await settings("General");
    keyring!.kill("SIGCONT");
  });

  it("that is gone is told, and the names are still there", async () => {
    await stopKeyring();
    await portico.restart();
    await settings("Vault");
    await says("This system has no keyring");
    await portico.picture("e2e-keyring-gone");
    await says("127.0.0.1:9");
  });

  it("never complained", () => {
    expect(portico.complaints).toEqual([]);
  });
});
