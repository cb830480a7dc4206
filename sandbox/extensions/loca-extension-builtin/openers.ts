import type { ToolContext } from "./types.ts";

export type Command = [program: string, ...args: string[]];
/** Runs a program to its end. Tests hand in their own. */
export type Run = (command: Command, signal: AbortSignal) => Promise<{ code: number; stdout: string; stderr: string }>;

export const run: Run = async ([program, ...args], signal) => {
  const { code, stdout, stderr } = await new Deno.Command(program, { args, signal, stdin: "null", stdout: "piped", stderr: "piped" }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
};

/** What opens a target on each system, the usual program first. None goes through a shell. */
export function openCommands(os: string, target: string): Command[] {
  if (os === "darwin") return [["open", target]];
  if (os === "windows") return [["explorer", target]];
  return [["xdg-open", target], ["gio", "open", target]];
}

export function appCommands(os: string, app: string): Command[] {
  if (os === "darwin") return [["open", "-a", app]];
  if (os === "windows") return [["powershell", "-NoProfile", "-Command", `Start-Process -FilePath '${app.replaceAll("'", "''")}'`]];
  // It takes the name of a desktop entry, which is lower case by custom: "Firefox" is firefox.
  return [...new Set([app, app.toLowerCase().replaceAll(" ", "-")])].map((name) => ["gtk-launch", name]);
}

/** Tries the commands in order: a program that isn't there, or isn't granted, leaves it to the next. */
async function firstThatWorks(commands: Command[], ctx: ToolContext, runner: Run): Promise<string> {
  const reasons: string[] = [];
  for (const command of commands) {
    try {
      const { code, stderr } = await runner(command, ctx.signal);
      // Explorer ends with 1 when it has opened what it was asked to.
      if (code === 0 || command[0] === "explorer") return command[0];
      reasons.push(`${command[0]}: ${stderr.trim() || `ended with ${code}`}`);
    } catch (error) {
      if (ctx.signal.aborted) throw error;
      reasons.push(`${command[0]}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new Error(`It couldn't be opened. ${reasons.join("; ")}`);
}

export async function openWebsite({ url }: { url: string }, ctx: ToolContext, os: string = Deno.build.os, runner = run) {
  const text = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(text)) throw new Error(`"${url}" isn't a web address.`);
  const { href, protocol } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") throw new Error("Only http and https addresses can be opened.");
  await firstThatWorks(openCommands(os, href), ctx, runner);
  return { opened: href };
}

export async function openFile({ path }: { path: string }, ctx: ToolContext, os: string = Deno.build.os, runner = run) {
  // An absolute path can't be taken for an option of the program, nor for an address.
  if (!(os === "windows" ? /^[a-z]:[\\/]/i : /^\//).test(path)) throw new Error(`"${path}" isn't a full path.`);
  await firstThatWorks(openCommands(os, path), ctx, runner);
  return { opened: path };
}

export async function openApp({ name }: { name: string }, ctx: ToolContext, os: string = Deno.build.os, runner = run) {
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._+'()-]*$/u.test(name)) throw new Error(`"${name}" isn't the name of an application.`);
  await firstThatWorks(appCommands(os, name), ctx, runner);
  return { opened: name };
}
