// How long the window is held up while text streams into a long conversation: `node test/speed.mjs`. Prints figures, decides nothing.
import { chromium } from "playwright-core";
import { build, preview } from "vite";

const outDir = "node_modules/.speed";
await build({ logLevel: "error", base: "/", build: { outDir, emptyOutDir: true, rollupOptions: { input: "test/fixture/index.html" } } });
const server = await preview({ logLevel: "error", base: "/", build: { outDir }, preview: { port: 0, host: "127.0.0.1" } });
const { port } = server.httpServer.address();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  page.on("pageerror", (error) => console.error(error.message));
  await page.addInitScript(() => {
    window.tasks = [];
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.tasks.push([Math.round(entry.startTime), Math.round(entry.duration)]))).observe({ type: "longtask", buffered: true });
  });
  await page.goto(`http://127.0.0.1:${port}/test/fixture/index.html?world=long`);
  await page.waitForSelector("[role=log]");
  await page.waitForTimeout(4000);
  console.log("opening: tasks over 50 ms [start, duration]", JSON.stringify(await page.evaluate(() => window.tasks.splice(0))));
  console.log("blocks drawn", await page.evaluate(() => document.querySelectorAll("[data-entry]").length));
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline", "devtools.timeline", "toplevel"] });
  const result = await page.evaluate(async () => {
    const { played } = window;
    const entry = { id: "stream", session: "essay", seq: 1000, turn: "t", kind: "agent", state: "running", createdAt: Date.now(), text: "" };
    const words = "The river froze and **nobody** came to the mill, so `we` walked.\n\n- one item\n- another\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n".split(/(?<=[ \n])/);
    let text = "";
    let frames = 0;
    let worst = 0;
    let last = performance.now();
    let on = true;
    const frame = (now) => {
      frames++;
      worst = Math.max(worst, now - last);
      last = now;
      if (on) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    played.emit({ topic: "entry", payload: entry });
    const started = performance.now();
    for (let n = 0; n < 1500; n++) {
      const piece = words[n % words.length];
      played.emit({ topic: "delta", payload: { session: "essay", entry: "stream", at: text.length, text: piece } });
      text += piece;
      const due = started + (n + 1) * 5;
      if (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    }
    const took = performance.now() - started;
    played.emit({ topic: "entry", payload: { ...entry, text, state: "done" } });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    on = false;
    const shown = [...document.querySelectorAll("[data-entry]")].at(-1).textContent.length;
    return { took: Math.round(took), frames, worst: Math.round(worst), written: text.length, shown, atEnd: (() => { const log = document.querySelector("[role=log]"); return log.scrollHeight - log.scrollTop - log.clientHeight; })() };
  });
  console.log("1,500 pieces, one each 5 ms:", JSON.stringify(result));
  console.log("tasks over 50 ms by the clock", JSON.stringify(await page.evaluate(() => window.tasks.map((task) => task[1]))));
  // The clock counts what other programs took of the processor; the thread's own time does not.
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const mains = new Set(traceEvents.filter((event) => event.name === "thread_name" && event.args.name === "CrRendererMain").map((event) => `${event.pid}:${event.tid}`));
  const own = traceEvents.filter((event) => event.name === "RunTask" && mains.has(`${event.pid}:${event.tid}`) && event.tdur).map((event) => event.tdur / 1000).sort((a, b) => b - a);
  console.log("longest tasks of the thread, ms:", own.slice(0, 12).map((ms) => ms.toFixed(1)).join(" "), "sum", Math.round(own.reduce((sum, ms) => sum + ms, 0)));
} finally {
  await browser.close();
  server.httpServer.close();
}
