import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { mockContext } from "./mock.ts";
import type { Command } from "./openers.ts";
import { getWindowLayout, setWindowLayout } from "./windows.ts";

/** Plays the programs of a desktop: what each prints, by its name. A program without an answer isn't installed. */
function desktop(prints: Record<string, string>) {
  const commands: Command[] = [];
  return {
    commands,
    runner: (command: Command) => {
      commands.push(command);
      const stdout = prints[command[0]];
      if (stdout === undefined) return Promise.reject(new Deno.errors.NotFound());
      return Promise.resolve({ code: 0, stdout, stderr: "" });
    },
  };
}

const listing = `0x02e00003 -1 0    0    1920 32   panel.Panel           desk Panel
0x03400007  0 10   52   800  600  navigator.Firefox     desk Tea - Firefox
0x03600001  0 -5   60   640  480  xterm.XTerm           desk \n`;
const { ctx, progress } = mockContext();
const place = { id: "0x03400007", x: 0, y: -10, width: 960, height: 1080 };

Deno.test("on X11, wmctrl lists the windows without panels, and xprop knows the active one", async () => {
  const { runner } = desktop({ wmctrl: listing, xprop: "_NET_ACTIVE_WINDOW(WINDOW): window id # 0x3400007\n" });
  deepEqual((await getWindowLayout({}, ctx, "linux", runner)).windows, [
    { id: "0x03400007", app: "Firefox", title: "Tea - Firefox", x: 10, y: 52, width: 800, height: 600, active: true },
    { id: "0x03600001", app: "XTerm", title: "", x: -5, y: 60, width: 640, height: 480, active: false },
  ]);
  equal(progress.at(-1), 1);
});

Deno.test("without xprop no window is active; without wmctrl the error names it", async () => {
  const { windows } = await getWindowLayout({}, ctx, "linux", desktop({ wmctrl: listing }).runner);
  deepEqual(windows.map(({ active }) => active), [false, false]);
  await rejects(getWindowLayout({}, ctx, "linux", desktop({}).runner), /wmctrl isn't installed/);
});

for (const [os, program] of [["darwin", "osascript"], ["windows", "powershell"]]) {
  Deno.test(`on ${os}, ${program} says the windows as JSON`, async () => {
    const windows = [{ id: "7", app: "Tea", title: "Cup", x: 0, y: 0, width: 9, height: 9, active: true }];
    deepEqual(await getWindowLayout({}, ctx, os, desktop({ [program]: JSON.stringify(windows) }).runner), { windows });
  });
}

Deno.test("on X11 a window is restored, then placed", async () => {
  const { commands, runner } = desktop({ wmctrl: "" });
  deepEqual(await setWindowLayout({ windows: [place] }, ctx, "linux", runner), { placed: 1 });
  deepEqual(commands, [
    ["wmctrl", "-i", "-r", place.id, "-b", "remove,maximized_vert,maximized_horz"],
    ["wmctrl", "-i", "-r", place.id, "-e", "0,0,-10,960,1080"],
  ]);
});

Deno.test("on macOS the places are an argument, and on Windows numbers", async () => {
  const mac = desktop({ osascript: "" });
  await setWindowLayout({ windows: [{ ...place, id: "81:0" }] }, ctx, "darwin", mac.runner);
  deepEqual(JSON.parse(mac.commands[0].at(-1)!), [{ ...place, id: "81:0" }]);
  const win = desktop({ powershell: "" });
  await setWindowLayout({ windows: [{ ...place, id: "4242" }] }, ctx, "windows", win.runner);
  match(win.commands[0].at(-1)!, /MoveWindow\(\[IntPtr\]4242, 0, -10, 960, 1080, \$true\)/);
});

for (const [os, wrong] of [["windows", { id: "1; calc" }], ["darwin", { id: "1" }], ["linux", { id: ":ACTIVE:" }], ["linux", { x: 0.5 }], ["linux", { width: 0 }]] as const) {
  Deno.test(`${JSON.stringify(wrong)} is refused on ${os}, and nothing moves`, async () => {
    const { commands, runner } = desktop({});
    await rejects(setWindowLayout({ windows: [place, { ...place, ...wrong }] }, ctx, os, runner));
    equal(commands.length, 0);
  });
}
