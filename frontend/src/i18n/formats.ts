import { useMemo } from "react";
import { useTranslation } from "react-i18next";

export interface Formats {
  number(value: number): string;
  percent(fraction: number): string;
  bytes(value: number): string;
  date(value: string | number): string;
  /** "2 minutes ago", as of now. */
  ago(value: string | number, now?: number): string;
  duration(ms: number): string;
  list(values: readonly string[]): string;
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [["year", 365 * 86_400], ["month", 30 * 86_400], ["week", 7 * 86_400], ["day", 86_400], ["hour", 3600], ["minute", 60]];
const sizes = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** How a language writes numbers, sizes and times. */
export function formatsOf(language: string): Formats {
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });
  const date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const ago = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const list = new Intl.ListFormat(language, { type: "conjunction" });
  const unit = (value: number, name: string, digits: number) =>
    new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: digits }).format(value);
  return {
    number: (value) => number.format(value),
    percent: (fraction) => percent.format(fraction),
    bytes(value) {
      if (value < 1000) return `${number.format(value)} B`; // Intl writes "820 byte"
      const at = Math.min(sizes.length - 1, Math.floor(Math.log10(value) / 3));
      const scaled = value / 1000 ** at;
      return unit(scaled, sizes[at]!, scaled < 10 ? 1 : 0);
    },
    date(value) {
      const at = new Date(value);
      return Number.isNaN(at.getTime()) ? "" : date.format(at);
    },
    ago(value, now = Date.now()) {
      const seconds = (new Date(value).getTime() - now) / 1000;
      if (Number.isNaN(seconds)) return "";
      for (const [name, size] of steps) if (Math.abs(seconds) >= size) return ago.format(Math.trunc(seconds / size), name);
      return ago.format(0, "second");
    },
    duration(ms) {
      if (ms < 1000) return unit(Math.round(ms), "millisecond", 0);
      if (ms < 60_000) return unit(ms / 1000, "second", 1);
      return `${unit(Math.floor(ms / 60_000), "minute", 0)} ${unit(Math.floor(ms / 1000) % 60, "second", 0)}`;
    },
    list: (values) => list.format(values),
  };
}

/** The formats of the language in use. */
export function useFormats(): Formats {
  const { i18n } = useTranslation();
  return useMemo(() => formatsOf(i18n.language), [i18n.language]);
}
