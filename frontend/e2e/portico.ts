import AxeBuilder from "@axe-core/playwright";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { chromium, type Browser, type Page } from "playwright-core";

const root = resolve(import.meta.dirname, "../..");
const examples = join(root, "testdata", "loca");
const binary = join(root, "build", "bin", process.platform === "win32" ? "portico-dev.exe" : "portico-dev");
const artefacts = join(root, "artefacts");

/** Long enough for a slow machine to start something; tests wait for what they look at, not for a time. */
const startLimit = 30_000;
const waitLimit = 10_000;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Starts a program and gives the first line it prints. */
function startedWith(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<{ child: Child; line: string }> {
  const child = spawn(command, args, { cwd: root, env, stdio: ["pipe", "pipe", "inherit"] }) as Child;
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`${command} said nothing in ${startLimit} ms`)), startLimit);
    createInterface(child.stdout).once("line", (line) => {
      clearTimeout(timer);
      done({ child, line });
    });
    child.once("error", fail);
    child.once("exit", (code) => {
      clearTimeout(timer);
      fail(new Error(`${command} ended with ${code} before it said where it is`));
    });
  });
}

function ended(child: Child): Promise<void> {
  return new Promise((done) => (child.exitCode !== null || child.signalCode !== null ? done() : child.once("exit", () => done())));
}

/** Portico with a data folder of its own, and a browser that looks at it. */
export class Portico {
  readonly home = mkdtempSync(join(tmpdir(), "portico-e2e-"));
  /** The person's own home folder. */
  readonly person = mkdtempSync(join(tmpdir(), "portico-person-"));
  page!: Page;
  /** What the page complained about: each is a fault. */
  readonly complaints: string[] = [];
  #core: Child | undefined;
  #browser: Browser | undefined;
  #model: Child | undefined;

  async start(): Promise<void> {
    if (!existsSync(binary)) throw new Error(`${binary} is not there: run \`go run ./build dev\` first`);
    const { child, line } = await startedWith(binary, ["browser"], { ...process.env, PORTICO_HOME: this.home, HOME: this.person, XDG_CONFIG_HOME: join(this.person, ".config"), LANG: "en_US.UTF-8", LC_ALL: "en_US.UTF-8" });
    this.#core = child;
    this.#browser ??= await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 860 }, locale: "en-US", reducedMotion: "reduce" });
    this.page = await context.newPage();
    this.page.setDefaultTimeout(waitLimit);
    this.page.on("pageerror", (error) => this.complaints.push(String(error)));
    this.page.on("console", (message) => message.type() === "error" && this.complaints.push(message.text()));
    await this.page.goto(line);
    await this.page.getByRole("tablist").waitFor();
  }

  /** Ends Portico as a person does, or as a crash does, and leaves the browser for the next start. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    await this.page?.context().close();
    if (this.#core) {
      this.#core.removeAllListeners("exit");
      this.#core.kill(signal);
      await ended(this.#core);
    }
    this.#core = undefined;
  }

  async restart(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    await this.stop(signal);
    await this.start();
  }

  /** Starts a scripted model at the wire, and gives its address. */
  async model(script: object): Promise<string> {
    const file = join(this.home, "model.json");
    writeFileSync(file, JSON.stringify(script));
    const { child, line } = await startedWith("go", ["run", "./backend/model/modeltest/cmd", "-script", file, "-record", join(this.home, "requests.jsonl"), "-stdin"], process.env);
    child.removeAllListeners("exit");
    this.#model = child;
    return line;
  }

  /** What the model was asked, oldest first. */
  asked(): unknown[] {
    const file = join(this.home, "requests.jsonl");
    if (!existsSync(file)) return [];
    return readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line) as unknown);
  }

  /** Faults of accessibility that axe calls serious or worse, in words. */
  async barriers(): Promise<string[]> {
    const found = await new AxeBuilder({ page: this.page }).analyze();
    return found.violations.filter((fault) => fault.impact === "serious" || fault.impact === "critical").map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.target.join(" ")).join(", ")}`);
  }

  /** Installs an example from its folder, as a person does without a native dialog. */
  async install(example: string, switchOn: boolean): Promise<void> {
    const { page } = this;
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Extensions", exact: true }).click();
    await page.getByRole("button", { name: "Add", exact: true }).first().click();
    await page.getByRole("menuitem", { name: /From a folder/ }).click();
    await page.getByRole("textbox", { name: "Folder" }).fill(join(examples, example));
    await page.getByRole("button", { name: "Look at it" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("It asks for").waitFor();
    if (switchOn) {
      const all = dialog.getByRole("button", { name: "Switch all on" });
      if (await all.isVisible()) await all.click();
      else await dialog.getByRole("switch").first().click();
    }
    await dialog.getByRole("button", { name: /^Install/ }).click();
    await dialog.waitFor({ state: "hidden" });
  }

  /** Connects the model server at that address. */
  async connect(address: string): Promise<void> {
    const { page } = this;
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Models", exact: true }).click();
    await page.getByLabel("Base address").fill(address);
    await page.getByLabel("Model", { exact: true }).fill("scripted");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("New chats use scripted now.", { exact: true }).first().waitFor();
  }

  async newChat(): Promise<void> {
    await this.page.keyboard.press("Control+n");
  }

  async say(text: string): Promise<void> {
    await this.page.getByRole("textbox", { name: /message|like to do/i }).fill(text);
    await this.page.keyboard.press("Enter");
  }

  async picture(name: string): Promise<void> {
    mkdirSync(artefacts, { recursive: true });
    await this.page.screenshot({ path: join(artefacts, `${name}.png`) });
  }

  async end(): Promise<void> {
    await this.stop();
    await this.#browser?.close();
    if (this.#model) {
      this.#model.stdin.end();
      await ended(this.#model);
    }
    rmSync(this.home, { recursive: true, force: true });
    rmSync(this.person, { recursive: true, force: true });
  }
}
