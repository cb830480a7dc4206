// Pictures of every state, light and dark: `node test/pictures.mjs OUT [world…]`. They are for eyes, not for comparison.
import { mkdir } from "node:fs/promises";
import { chromium } from "playwright-core";
import { createServer } from "vite";

const [out = "pictures", ...wanted] = process.argv.slice(2);
const worlds = wanted.length > 0 ? wanted : ["chat", "settled", "markdown", "running", "questions", "direct", "empty", "ready", "offers", "long"];
await mkdir(out, { recursive: true });
const server = await createServer({ server: { port: 0, host: "127.0.0.1" }, logLevel: "error" });
await server.listen();
const { port } = server.httpServer.address();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  for (const world of worlds) {
    for (const theme of (process.env.THEMES ?? "light,dark").split(",")) {
      const page = await browser.newPage({ viewport: { width: Number(process.env.WIDTH ?? 1280), height: Number(process.env.HEIGHT ?? 860) } });
      page.on("pageerror", (error) => console.error(world, theme, error.message));
      page.on("console", (message) => message.type() === "error" && console.error(world, theme, message.text()));
      await page.goto(`http://127.0.0.1:${port}/test/fixture/index.html?world=${world}&theme=${theme}&language=${process.env.LANGUAGE_OF ?? "en"}&zoom=${process.env.ZOOM ?? 100}`);
      await page.waitForSelector(".main", { timeout: 30_000 });
      await page.waitForTimeout(1200);
      await page.screenshot({ path: `${out}/${world}-${theme}.png` });
      await page.close();
    }
  }
} finally {
  await browser.close();
  await server.close();
}
