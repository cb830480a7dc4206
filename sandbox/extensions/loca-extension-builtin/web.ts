import { attribute, parts, readPage, decodeEntities } from "./html.ts";
import type { ToolContext } from "./types.ts";

const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const MAX_TEXT = 40_000;
const MAX_DOWNLOAD_BYTES = 500 * 1024 * 1024;
const headers = { "user-agent": "Mozilla/5.0 (compatible; Portico/1.0)", accept: "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5" };

function webAddress(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") throw new Error(`"${url}" isn't an http or https address.`);
  return parsed;
}

async function get(url: URL, ctx: ToolContext): Promise<Response> {
  const answer = await fetch(url, { headers, signal: ctx.signal });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  throw new Error(`${url.host} answered ${answer.status} ${answer.statusText}`.trim() + ".");
}

/** The first 2 MB of an answer in its own encoding, and whether there was more. */
async function pageText(answer: Response): Promise<{ text: string; cut: boolean }> {
  const charset = /charset="?([\w-]+)/i.exec(answer.headers.get("content-type") ?? "")?.[1] ?? "utf-8";
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset);
  } catch {
    decoder = new TextDecoder();
  }
  let text = "", left = MAX_PAGE_BYTES;
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left < 0) return { text, cut: true };
  }
  return { text: text + decoder.decode(), cut: false };
}

export interface SearchResult {
  title: string;
  url: string;
  snippet: string;
}

/** Results stand as links of the class result__a, their texts as result__snippet. */
export function searchResults(html: string, base: string): SearchResult[] {
  const results: SearchResult[] = [];
  let into: "title" | "snippet" | undefined, until = "";
  for (const part of parts(html)) {
    const last = results.at(-1);
    if ("text" in part) {
      if (into && last) last[into] += part.text;
    } else if (part.closes) {
      if (part.name === until) into = undefined;
    } else {
      const classes = attribute(part.attributes, "class")?.split(/\s+/) ?? [];
      if (classes.includes("result__a")) {
        const href = attribute(part.attributes, "href") ?? "";
        if (!URL.canParse(href, base)) continue;
        const link = new URL(href, base);
        // The engine links through a redirect that carries the address; an advertisement goes through y.js.
        results.push({ title: "", url: link.searchParams.get("uddg") ?? link.href, snippet: "" });
        [into, until] = ["title", part.name];
      } else if (classes.includes("result__snippet")) [into, until] = ["snippet", part.name];
    }
  }
  const clean = (text: string) => decodeEntities(text).replace(/\s+/g, " ").trim();
  return results
    .filter(({ url }) => /^https?:/.test(url) && !/duckduckgo\.com\/y\.js/.test(url))
    .map(({ title, url, snippet }) => ({ title: clean(title), url, snippet: clean(snippet) }));
}

/** `base` is another address in tests only: the manifest grants this one. */
export async function webSearch({ query, limit = 8 }: { query: string; limit?: number }, ctx: ToolContext, base = "https://html.duckduckgo.com/html/") {
  ctx.setProgress(0.1, "Searching", query);
  const url = new URL(base);
  url.searchParams.set("q", query);
  const { text } = await pageText(await get(url, ctx));
  const results = searchResults(text, base).slice(0, limit);
  if (results.length === 0 && /anomaly-modal|challenge-form/.test(text)) throw new Error("The search engine asks for a human. Try again in some minutes.");
  ctx.setProgress(1);
  return { query, results };
}

export async function fetchWebpage({ url }: { url: string }, ctx: ToolContext) {
  ctx.setProgress(0.1, "Fetching", url);
  const answer = await get(webAddress(url), ctx);
  const type = (answer.headers.get("content-type") ?? "text/html").split(";")[0].trim().toLowerCase();
  if (!/^text\/|[/+](?:json|xml)$/.test(type)) {
    await answer.body?.cancel();
    throw new Error(`The address holds ${type}, which isn't text. Use download_url to save it.`);
  }
  const { text, cut } = await pageText(answer);
  const page = /html/.test(type) ? readPage(text, answer.url) : { title: "", text, links: [] };
  ctx.setProgress(1);
  return { url: answer.url, ...page, text: page.text.slice(0, MAX_TEXT), truncated: cut || page.text.length > MAX_TEXT };
}

/** A name that is one on every system: no folders, no control characters, none that Windows reserves. */
export function safeName(name: string): string {
  // deno-lint-ignore no-control-regex -- these are what is taken out
  const clean = name.replace(/[\x00-\x1f\x7f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]/g, "_").replace(/^[.\s]+|[.\s]+$/g, "").slice(-120);
  if (!clean) return "download";
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(clean) ? `_${clean}` : clean;
}

function nameOf(answer: Response): string {
  const said = answer.headers.get("content-disposition") ?? "";
  const wanted = /filename\*=utf-8''([^;]+)/i.exec(said)?.[1] ?? new URL(answer.url).pathname.split("/").at(-1) ?? "";
  const simple = /filename="?([^";]+)/i.exec(said)?.[1];
  try {
    return safeName(/filename\*=/i.test(said) ? decodeURIComponent(wanted) : simple ?? decodeURIComponent(wanted));
  } catch {
    return safeName(simple ?? wanted);
  }
}

/** Where the desktop keeps downloads: on Linux it says so in a file, and ~/Downloads is what everybody else uses. */
export async function downloadsFolders(os: string = Deno.build.os): Promise<string[]> {
  const home = Deno.env.get(os === "windows" ? "USERPROFILE" : "HOME");
  if (!home) throw new Error("The Downloads folder isn't known.");
  const usual = `${home}/Downloads`;
  if (os !== "linux") return [usual];
  const said = await Deno.readTextFile(`${home}/.config/user-dirs.dirs`).catch(() => ""); // not there, or not allowed
  const folder = /^XDG_DOWNLOAD_DIR="(.+)"$/m.exec(said)?.[1].replace(/^\$HOME(?=\/)/, home);
  return folder?.startsWith("/") ? [folder, usual] : [usual];
}

/** The first of the folders that this tool may write to. */
async function writable(folders: string[]): Promise<string> {
  let refused: unknown;
  for (const folder of folders) {
    try {
      await Deno.mkdir(folder, { recursive: true });
      return folder;
    } catch (error) {
      refused = error;
    }
  }
  throw refused;
}

/** Opens a file that wasn't there: "name.txt", else "name (1).txt", and so on. */
async function createNew(folder: string, name: string): Promise<{ file: Deno.FsFile; path: string }> {
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let n = 0; n < 1000; n++) {
    const path = `${folder}/${n ? `${stem} (${n})${ending}` : name}`;
    try {
      return { file: await Deno.open(path, { write: true, createNew: true }), path };
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
  throw new Error(`There are too many files named ${name}.`);
}

export async function downloadUrl(
  { url, filename }: { url: string; filename?: string },
  ctx: ToolContext,
  { folders = downloadsFolders(), most = MAX_DOWNLOAD_BYTES }: { folders?: string[] | Promise<string[]>; most?: number } = {},
) {
  const answer = await get(webAddress(url), ctx);
  const length = Number(answer.headers.get("content-length") ?? 0);
  const tooBig = () => new Error(`The file is larger than ${Math.floor(most / 1024 / 1024)} MB.`);
  if (length > most) {
    await answer.body?.cancel();
    throw tooBig();
  }
  const folder = await writable(await folders);
  const { file, path } = await createNew(folder, filename ? safeName(filename) : nameOf(answer));
  let bytes = 0;
  try {
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      if (bytes > most) throw tooBig();
      for (let at = 0; at < chunk.length;) at += await file.write(chunk.subarray(at));
      if (length) ctx.setProgress(bytes / length, "Downloading", path);
    }
    file.close();
  } catch (error) {
    file.close();
    await Deno.remove(path);
    throw error;
  }
  ctx.setProgress(1);
  return { path, bytes, type: answer.headers.get("content-type") ?? undefined };
}
