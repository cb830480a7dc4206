/** Takes pictures of the window over the scripted core, and lets axe look at each: `node test/look.mjs OUT [name…]`. */
import { createServer } from "node:http";
import { mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";

const dist = join(tmpdir(), "portico-fixture");
const [out = "/tmp/look", ...only] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2" };
const server = createServer((request, response) => {
  const path = new URL(request.url, "http://x").pathname;
  if (path === "/favicon.ico") return void response.writeHead(204).end();
  try {
    response.setHeader("Content-Type", types[extname(path)] ?? "application/octet-stream");
    response.end(readFileSync(join(dist, path)));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const at = `http://127.0.0.1:${server.address().port}/test/fixture.html`;

const press = (name, role = "button") => (page) => page.getByRole(role, { name, exact: false }).first().click();
const add = async (page) => {
  await press("Add")(page);
  await press(/folder/i, "menuitem")(page);
  await page.getByRole("textbox", { name: "Folder" }).fill("/home/ana/Code/text-cleaner");
};
const review = async (page) => {
  await add(page);
  await page.keyboard.press("Enter");
};
const cleaner = "extensions/agent:loca::loca-extension-textcleaner";
const shots = {
  extensions: { page: cleaner }, jokebook: { page: "extensions" }, drift: { page: "extensions/agent:loca::loca-extension-logtail" }, wordcount: { page: "extensions/agent:loca::loca-extension-wordcount" },
  empty: { page: "extensions", state: "empty" }, add: { page: "extensions", do: add }, review: { page: "extensions", do: review }, broken: { page: "extensions", state: "broken", do: review },
  installing: { page: "extensions", state: "installing", do: async (page) => { await review(page); await press("Switch all on")(page); await press("Install and")(page); } },
  failing: { page: "extensions", state: "failing", do: async (page) => { await review(page); await press("Install, all off")(page); await page.getByText("no room").waitFor(); } },
  files: { page: cleaner, do: press("Read its files") }, log: { page: cleaner, do: press("See its log") },
  remove: { page: cleaner, do: async (page) => { await press("More")(page); await press("Remove", "menuitem")(page); } },
  menu: { page: cleaner, do: press("More") },
  run: { page: cleaner, do: press("Run Clean text") }, runlong: { page: cleaner, do: async (page) => { await press("Run Clean text")(page); await press("Add")(page.getByRole("dialog")); await press("Add")(page.getByRole("dialog")); } }, runbad: { page: cleaner, do: async (page) => { await press("Run Clean text")(page); await page.getByRole("textbox", { name: "Contact" }).fill("x"); await page.keyboard.press("Control+Enter"); } },
  runone: { page: "tools", do: press("Run Word count") },
  tools: { page: "tools", do: press("Permissions of Clean") }, toolsempty: { page: "tools", state: "empty" },
  models: { page: "models", state: "model" }, modelsnone: { page: "models", state: "empty" }, modelsaway: { page: "models", state: "away" },
  modelkey: { page: "models", state: "remote" },
  vault: { page: "vault", do: press("Show the value of JOKES") }, vaultphrase: { page: "vault", state: "phrase" }, vaultclosed: { page: "vault", state: "closed" }, vaultlocked: { page: "vault", state: "locked" }, vaultslow: { page: "vault", state: "slow" }, vaultmissing: { page: "vault", state: "nokeyring" }, vaultlost: { page: "vault", state: "lostkeyring" }, vaultnokey: { page: "vault", state: "nokey" }, vaultempty: { page: "vault", state: "bare" },
  vaultwrong: { page: "vault", state: "closed", do: async (page) => { await page.getByLabel("Passphrase", { exact: true }).fill("x"); await page.keyboard.press("Enter"); } },
  vaultset: { page: "vault", do: async (page) => { await press("Use a passphrase")(page); await page.getByLabel("Passphrase", { exact: true }).fill("short"); await page.getByLabel("The same again").fill("shorx"); } },
  vaultanew: { page: "vault", state: "nokey", do: press("Start a new vault") }, vaultkept: { page: "vault", state: "nokey", do: async (page) => { await press("Start a new vault")(page); await page.getByRole("dialog").getByRole("button", { name: "Start a new vault" }).click(); } },
  vaultremove: { page: "vault", do: async (page) => { await press("More for openrouter")(page); await press("Remove", "menuitem")(page); } },
  memories: { page: "memories/knowledge/Car.md" }, memoryread: { page: "memories/knowledge/Car.md", do: press("Read", "radio") }, memorynew: { page: "memories", do: async (page) => { await page.getByRole("button", { name: "New", exact: true }).click(); await press("New skill", "menuitem")(page); } },
  memorydirty: { page: "memories/knowledge/Car.md", do: async (page) => { await page.getByRole("textbox", { name: "Text of Car" }).fill("# Car\n\nSold."); } },
  memoryconflict: { page: "memories/knowledge/Car.md", do: async (page) => {
    await page.getByRole("textbox", { name: "Text of Car" }).fill("# Car\n\nSold in June.");
    await page.evaluate(() => { window.carrier.state.memoryTexts = { ...window.carrier.state.memoryTexts, "knowledge/Car.md": "# Car\n\nA blue estate.\n" }; window.carrier.tell({ topic: "memories", payload: {} }); });
    await press("See the difference")(page);
  } },
  memorytheirs: { page: "memories/agent:loca::loca-extension-jokebook/skills/rank-jokes" }, memorybroken: { page: "memories/knowledge/scan.md" }, memoriesempty: { page: "memories", state: "nomemories" },
  voice: { page: "voice" }, voiceon: { page: "voice", state: "speaks", do: async (page) => { await page.locator("input[type=file]").setInputFiles({ name: "a.wav", mimeType: "audio/wav", buffer: Buffer.from("x") }); } }, voiceserver: { page: "voice", state: "server" }, voicefetch: { page: "voice", state: "mute", do: press("Fetch") }, voicefails: { page: "voice", state: "mutefails", do: press("Fetch") }, voicelisten: { page: "voice", do: press("Write down speech", "switch") },
  schedules: { page: "schedules" }, schedulesempty: { page: "schedules", state: "noschedules" }, schedulenew: { page: "schedules", do: press("New schedule") }, schedulepast: { page: "schedules", do: async (page) => { await press("New schedule")(page); await page.getByLabel("Title").fill("x"); await page.getByLabel("What to ask").fill("y"); await press("Once", "radio")(page); await page.getByLabel("Date and time").fill("2020-01-01T10:00"); await page.getByText("has passed").waitFor(); } },
  scheduleedit: { page: "schedules", do: async (page) => { await press("More for Rent")(page); await press("Edit", "menuitem")(page); } }, schedulehistory: { page: "schedules", do: async (page) => { await press("More for Morning")(page); await press("History", "menuitem")(page); } }, scheduleyearly: { page: "schedules", do: async (page) => { await press("New schedule")(page); await press("Yearly", "radio")(page); } },
  general: { page: "general" }, appearance: { page: "appearance" }, shortcuts: { page: "shortcuts" }, privacy: { page: "privacy" }, about: { page: "about" },
  select: { page: "general", do: press("Language", "combobox") },
  search: { page: "general", do: (page) => page.getByRole("searchbox").fill("mod") },
  palette: { page: "about", do: (page) => page.keyboard.press("Control+k") },
  palettefind: { page: "about", do: async (page) => { await page.keyboard.press("Control+k"); await page.getByRole("combobox").waitFor(); await page.keyboard.type("word"); } },
};

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"] });
let faults = 0;
const looks = (process.env.LOOKS ?? "light,dark").split(",");
for (const [name, shot] of Object.entries(shots)) {
  if (only.length > 0 && !only.includes(name)) continue;
  for (const theme of looks) {
    const narrow = process.env.WIDTH ? { width: Number(process.env.WIDTH), height: Number(process.env.HEIGHT ?? 720) } : { width: 1280, height: 860 };
    const context = await browser.newContext({ viewport: narrow, reducedMotion: "reduce" });
    const page = await context.newPage();
    page.on("pageerror", (error) => { faults++; console.log(name, theme, "threw", String(error).slice(0, 400)); });
    page.on("console", (message) => message.type() === "error" && (faults++, console.log(name, theme, "said", message.text().slice(0, 400))));
    const query = new URLSearchParams({ page: shot.page, theme, state: shot.state ?? "", language: process.env.LANGUAGE_CODE ?? "en", zoom: process.env.ZOOM ?? "100" });
    try {
      await page.goto(`${at}?${query}`);
      await page.locator("h1:visible, h2:visible").first().waitFor({ timeout: 8000 });
      if (shot.do) await shot.do(page);
      await page.waitForTimeout(350);
    } catch (error) {
      faults++;
      console.log(name, theme, String(error).slice(0, 500));
    }
    await page.screenshot({ path: join(out, `${name}-${theme}.png`) });
    const { violations } = await new AxeBuilder({ page }).analyze();
    for (const one of violations.filter((v) => v.impact === "serious" || v.impact === "critical")) {
      faults++;
      console.log(name, theme, one.id, one.nodes.slice(0, 4).map((node) => `${node.target} ${node.any?.[0]?.message ?? ""}`.slice(0, 300)).join(" | "));
    }
    await context.close();
  }
}
await browser.close();
server.close();
console.log(faults === 0 ? "nothing serious" : `${faults} faults`);
process.exitCode = faults === 0 ? 0 : 1;
