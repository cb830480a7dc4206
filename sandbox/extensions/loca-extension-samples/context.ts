import type { ToolContext } from "./types.ts";

/** Says what the tool knows of its turn. */
export function sampleContext(_args: unknown, ctx: ToolContext) {
  const { userMessage, sessionId, locale = "en" } = ctx.getChatContext(); // a host may not know the locale
  const number = new Intl.NumberFormat(locale).format(1234.5);
  return { words: userMessage.split(/\s+/).filter(Boolean).length, inSession: sessionId !== null, locale, number };
}
