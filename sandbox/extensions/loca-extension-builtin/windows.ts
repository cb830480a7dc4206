import { run, type Run } from "./openers.ts";
import type { ToolContext } from "./types.ts";

/** One window: its place and size are in pixels from the top left of the main screen. */
export interface Window {
  /** What set_window_layout takes; it means the window until it closes (on macOS: until its app's windows change order). */
  id: string;
  app: string;
  title: string;
  x: number;
  y: number;
  width: number;
  height: number;
  active: boolean;
}

export interface Placement {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Both scripts read what they need from their arguments, so that nothing a model wrote becomes code. */
const macList = `function run() {
  const found = [];
  for (const app of Application("System Events").applicationProcesses.whose({ visible: true })()) {
    const front = app.frontmost();
    app.windows().forEach((w, n) => {
      const [x, y] = w.position(), [width, height] = w.size();
      found.push({ id: app.unixId() + ":" + n, app: app.name(), title: w.name() || "", x, y, width, height, active: front && n === 0 });
    });
  }
  return JSON.stringify(found);
}`;

const macPlace = `function run([wanted]) {
  const events = Application("System Events");
  const found = JSON.parse(wanted).map((p) => {
    const [pid, n] = p.id.split(":").map(Number);
    return [p, events.applicationProcesses.whose({ unixId: pid })[0].windows()[n]];
  });
  for (const [p, w] of found) {
    w.position = [p.x, p.y];
    w.size = [p.width, p.height];
  }
}`;

const winTypes = `$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = [Text.Encoding]::UTF8
Add-Type -TypeDefinition @'
using System; using System.Runtime.InteropServices;
public struct Box { public int Left, Top, Right, Bottom; }
public static class Win {
  [DllImport("user32.dll")] public static extern bool GetWindowRect(IntPtr h, out Box b);
  [DllImport("user32.dll")] public static extern IntPtr GetForegroundWindow();
  [DllImport("user32.dll")] public static extern bool ShowWindow(IntPtr h, int how);
  [DllImport("user32.dll")] public static extern bool MoveWindow(IntPtr h, int x, int y, int w, int hgt, bool paint);
}
'@
`;

const winList = `${winTypes}$front = [Win]::GetForegroundWindow()
$found = @(Get-Process | Where-Object { $_.MainWindowHandle -ne 0 -and $_.MainWindowTitle } | ForEach-Object {
  $b = New-Object Box
  [void][Win]::GetWindowRect($_.MainWindowHandle, [ref]$b)
  @{ id = "$($_.MainWindowHandle)"; app = $_.ProcessName; title = $_.MainWindowTitle; x = $b.Left; y = $b.Top
     width = $b.Right - $b.Left; height = $b.Bottom - $b.Top; active = ($_.MainWindowHandle -eq $front) }
})
ConvertTo-Json -Compress -InputObject $found`;

/** 9 restores a window that is minimised or maximised; only numbers, checked before, stand in the script. */
const winPlace = (p: Placement) =>
  `[void][Win]::ShowWindow([IntPtr]${p.id}, 9)
if (-not [Win]::MoveWindow([IntPtr]${p.id}, ${p.x}, ${p.y}, ${p.width}, ${p.height}, $true)) { throw 'Window ${p.id} could not be moved.' }`;

const powershell = (script: string) => ["powershell", "-NoProfile", "-NonInteractive", "-Command", script] as const;

/** What a program printed, or an error that says why not. */
async function output(command: readonly [string, ...string[]], ctx: ToolContext, runner: Run): Promise<string> {
  let result;
  try {
    result = await runner([...command], ctx.signal);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new Error(`The program ${command[0]} isn't installed.`);
    if (error instanceof Deno.errors.NotCapable) throw new Error(`The program ${command[0]} isn't installed, or running it wasn't allowed.`);
    throw error;
  }
  if (result.code !== 0) throw new Error(`${command[0]}: ${result.stderr.trim() || `ended with ${result.code}`}`);
  return result.stdout;
}

/** Lines of `wmctrl -lGx`: id, desktop, x, y, width, height, class, computer, title. Desktop -1 holds panels and docks. */
export function wmctrlWindows(listing: string, activeId?: number): Window[] {
  return listing.split("\n").flatMap((line) => {
    const match = /^(0x[\da-f]+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+) ?(.*)$/.exec(line);
    if (!match || match[2] === "-1") return [];
    const [, id, , x, y, width, height, app, , title] = match;
    return [{ id, app: app.split(".").at(-1)!, title, x: +x, y: +y, width: +width, height: +height, active: Number(id) === activeId }];
  });
}

export async function getWindowLayout(_args: unknown, ctx: ToolContext, os: string = Deno.build.os, runner = run): Promise<{ windows: Window[] }> {
  let windows: Window[];
  if (os === "darwin") windows = JSON.parse(await output(["osascript", "-l", "JavaScript", "-e", macList], ctx, runner));
  else if (os === "windows") windows = JSON.parse(await output(powershell(winList), ctx, runner));
  else {
    const listing = await output(["wmctrl", "-lGx"], ctx, runner);
    // Which window is active is good to know, no more: xprop may be missing.
    const active = await output(["xprop", "-root", "_NET_ACTIVE_WINDOW"], ctx, runner).catch(() => "");
    windows = wmctrlWindows(listing, Number(/0x[\da-f]+/.exec(active)?.[0]));
  }
  ctx.setProgress(1);
  return { windows };
}

const ids: Record<string, RegExp> = { darwin: /^\d+:\d+$/, windows: /^\d+$/, linux: /^0x[\da-f]+$/ };

function check(placement: Placement, os: string): void {
  const { id, x, y, width, height } = placement;
  if (!(ids[os] ?? ids.linux).test(id)) throw new Error(`"${id}" isn't the id of a window. Ask get_window_layout for them.`);
  if (![x, y, width, height].every(Number.isInteger)) throw new Error("x, y, width and height are whole numbers.");
  if (width < 1 || height < 1) throw new Error("A window is at least one pixel wide and high.");
}

export async function setWindowLayout({ windows }: { windows: Placement[] }, ctx: ToolContext, os: string = Deno.build.os, runner = run) {
  for (const placement of windows) check(placement, os);
  if (os === "darwin") await output(["osascript", "-l", "JavaScript", "-e", macPlace, JSON.stringify(windows)], ctx, runner);
  else if (os === "windows") await output(powershell(winTypes + windows.map(winPlace).join("\n")), ctx, runner);
  else {
    for (const { id, x, y, width, height } of windows) {
      // Window managers ignore a place for a maximised window.
      await output(["wmctrl", "-i", "-r", id, "-b", "remove,maximized_vert,maximized_horz"], ctx, runner);
      await output(["wmctrl", "-i", "-r", id, "-e", `0,${x},${y},${width},${height}`], ctx, runner);
    }
  }
  ctx.setProgress(1);
  return { placed: windows.length };
}
