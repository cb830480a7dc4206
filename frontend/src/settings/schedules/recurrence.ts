/** When a schedule is due, as a form has it and as it is said in words. Local times throughout, as for the core. */
import type { TFunction } from "i18next";
import type { ScheduleDraft, ScheduleKind, ScheduleRecurrence } from "../../host";

export const kinds: readonly ScheduleKind[] = ["once", "interval", "weekly", "monthly", "yearly"];
export const units = { minutes: 1, hours: 60, days: 1440 } as const;
export type Unit = keyof typeof units;

/** Every field of every kind, so that looking at another kind loses nothing. */
export interface Fields {
  title: string;
  instruction: string;
  runMissed: boolean;
  kind: ScheduleKind;
  /** As an input of the type datetime-local has it. */
  at: string;
  every: string;
  unit: Unit;
  weekdays: readonly number[];
  month: number;
  day: string;
  /** As an input of the type time has it. */
  time: string;
  /** The moment that a draft came with, seconds and all: kept while its minute is not changed. */
  exact?: number;
}

const two = (value: number): string => String(value).padStart(2, "0");
const inputTime = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;

const unitOf = (minutes: number): Unit => (minutes % units.days === 0 ? "days" : minutes % units.hours === 0 ? "hours" : "minutes");

/** A form for a draft; without one, for tomorrow at nine. */
export function fieldsOf(draft?: ScheduleDraft, now = new Date()): Fields {
  const r: Partial<ScheduleRecurrence> = draft?.schedule ?? { kind: "weekly", weekdays: [1, 2, 3, 4, 5] };
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9);
  const minutes = r.everyMinutes ?? units.days;
  const timed = r.kind === "weekly" || r.kind === "monthly" || r.kind === "yearly";
  return {
    title: draft?.title ?? "", instruction: draft?.instruction ?? "", runMissed: draft?.runMissed ?? true, kind: r.kind ?? "weekly",
    at: inputTime(r.atMs === undefined ? tomorrow : new Date(r.atMs)), exact: r.atMs, every: String(minutes / units[unitOf(minutes)]), unit: unitOf(minutes),
    weekdays: r.weekdays ?? [tomorrow.getDay()], month: r.month ?? tomorrow.getMonth() + 1, day: String(r.day ?? tomorrow.getDate()),
    time: timed && draft ? `${two(r.hour ?? 0)}:${two(r.minute ?? 0)}` : "09:00",
  };
}

/** The draft that a form says; undefined while something in it is no number or no time. */
export function draftOf(f: Fields): ScheduleDraft | undefined {
  const schedule = recurrenceOf(f);
  if (!schedule || f.title.trim() === "" || f.instruction.trim() === "") return undefined;
  return { title: f.title.trim(), instruction: f.instruction, runMissed: f.runMissed, schedule };
}

export function recurrenceOf(f: Fields): ScheduleRecurrence | undefined {
  if (f.kind === "once") {
    const at = new Date(f.at).getTime();
    if (Number.isNaN(at)) return undefined;
    return { kind: "once", atMs: f.exact !== undefined && inputTime(new Date(f.exact)) === f.at ? f.exact : at };
  }
  if (f.kind === "interval") {
    const every = whole(f.every, 1, Number.MAX_SAFE_INTEGER);
    return every === undefined ? undefined : { kind: "interval", everyMinutes: every * units[f.unit] };
  }
  const [hour, minute] = f.time.split(":").map(Number);
  if (hour === undefined || minute === undefined || Number.isNaN(hour + minute)) return undefined;
  if (f.kind === "weekly") return f.weekdays.length === 0 ? undefined : { kind: "weekly", weekdays: [...f.weekdays].sort((a, b) => a - b), hour, minute };
  const day = whole(f.day, 1, 31);
  if (day === undefined) return undefined;
  return f.kind === "monthly" ? { kind: "monthly", day, hour, minute } : { kind: "yearly", month: f.month, day, hour, minute };
}

function whole(text: string, least: number, most: number): number | undefined {
  const value = Number(text);
  return text.trim() !== "" && Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

/** 0, Sunday, to 6 in the order in which a language's calendars have them. */
export function weekFrom(language: string): number[] {
  // Monday opens the week where Spanish is spoken most, Sunday in the United States, whose English is the default.
  const first = /^en(-US)?$/.test(language) ? 0 : 1;
  return Array.from({ length: 7 }, (_, n) => (first + n) % 7);
}

/** A Sunday, for the names of days. */
const sunday = Date.UTC(2023, 0, 1);
export const dayName = (language: string, day: number, style: "long" | "short" | "narrow" = "long"): string => new Intl.DateTimeFormat(language, { weekday: style, timeZone: "UTC" }).format(sunday + day * 86_400_000);
export const monthName = (language: string, month: number): string => new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" }).format(Date.UTC(2023, month - 1, 1));

const timeText = (language: string, hour = 0, minute = 0): string => new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone: "UTC" }).format(Date.UTC(2023, 0, 1, hour, minute));
/** A moment in full: the day, the date and the time. */
export const momentText = (language: string, at: number): string => new Intl.DateTimeFormat(language, { weekday: "short", day: "numeric", month: "short", year: new Date(at).getFullYear() === new Date().getFullYear() ? undefined : "numeric", hour: "numeric", minute: "2-digit" }).format(at);

const sameDays = (days: readonly number[], ...wanted: number[]): boolean => days.length === wanted.length && wanted.every((day) => days.includes(day));

/** A recurrence in words. */
export function recurrenceWords(r: ScheduleRecurrence, t: TFunction<"settings">, language: string): string {
  const time = timeText(language, r.hour, r.minute);
  switch (r.kind) {
    case "once":
      return t("schedules.words.once", { when: momentText(language, r.atMs ?? 0) });
    case "interval": {
      const minutes = r.everyMinutes ?? 1;
      const unit = unitOf(minutes);
      return t(`schedules.words.${unit}`, { count: minutes / units[unit] });
    }
    case "weekly": {
      const days = r.weekdays ?? [];
      if (days.length === 7) return t("schedules.words.daily", { time });
      if (sameDays(days, 1, 2, 3, 4, 5)) return t("schedules.words.weekdays", { time });
      const names = weekFrom(language).filter((day) => days.includes(day)).map((day) => dayName(language, day));
      return t("schedules.words.weekly", { days: new Intl.ListFormat(language, { type: "conjunction" }).format(names), time });
    }
    case "monthly":
      return t("schedules.words.monthly", { day: r.day, time });
    case "yearly": {
      // A leap year, so that the 29th of February is one.
      const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "long", timeZone: "UTC" }).format(Date.UTC(2024, (r.month ?? 1) - 1, r.day ?? 1));
      return t("schedules.words.yearly", { date, time });
    }
  }
}
