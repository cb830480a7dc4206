import type { ToolContext } from "./types.ts";

/** Gives a page's title. The manifest declares its one host and port: a redirect to another would be refused. */
export async function sampleFetch(_args: unknown, ctx: ToolContext, address = "https://example.com/") {
  const answer = await fetch(address, { signal: ctx.signal });
  const page = await answer.text();
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`); // what is thrown, the model reads
  return { title: /<title>([^<]*)/i.exec(page)?.[1].trim() ?? "" };
}
