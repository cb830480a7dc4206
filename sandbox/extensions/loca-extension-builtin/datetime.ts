import type { ToolContext } from "./types.ts";

/** The time now, or at `now` in a test. */
export function getDatetime({ timezone, locale }: { timezone?: string; locale?: string }, ctx: ToolContext, now = new Date()) {
  const zone = timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const language = locale ?? ctx.getChatContext().locale ?? "en";
  let spoken: string;
  try {
    spoken = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long", timeZone: zone }).format(now);
  } catch {
    throw new Error(`The time zone "${zone}" or the locale "${language}" isn't known. Use names such as "Europe/Madrid" and "es-ES".`);
  }
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat("en-US", {
      timeZone: zone, hourCycle: "h23", weekday: "long", timeZoneName: "longOffset",
      year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit",
    }).formatToParts(now).map(({ type, value }) => [type, value]),
  );
  ctx.setProgress(1);
  return {
    date: `${parts.year}-${parts.month}-${parts.day}`,
    time: `${parts.hour}:${parts.minute}:${parts.second}`,
    weekday: parts.weekday,
    timezone: zone,
    offset: parts.timeZoneName.replace("GMT", "") || "+00:00",
    utc: now.toISOString(),
    formatted: spoken,
  };
}
