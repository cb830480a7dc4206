/** The words: which language, and what a Problem or a risk is called in it. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import type { Problem } from "../host";
import { en, es } from "./resources";

export { formatsOf, useFormats, type Formats } from "./formats";

export const languages = ["en", "es"] as const;
export type Language = (typeof languages)[number];

/** The language for a setting: itself, or with "system" the first of the person's that Portico speaks. */
export function languageOf(setting: string, locales: readonly string[]): Language {
  for (const wanted of setting === "system" ? locales : [setting]) {
    const base = wanted.toLowerCase().split(/[-_]/)[0];
    const known = languages.find((language) => language === base);
    if (known) return known;
  }
  return "en";
}

/** Sets the language, the first time and again whenever the setting changes. */
export function setupI18n(setting: string, locale?: string): Language {
  const language = languageOf(setting, locale ? [locale, ...navigator.languages] : navigator.languages);
  if (!i18next.isInitialized) {
    void i18next.use(initReactI18next).init({
      lng: language,
      fallbackLng: "en",
      supportedLngs: languages,
      defaultNS: "common",
      ns: Object.keys(en),
      resources: { en, es },
      initAsync: false,
      interpolation: { prefix: "{", suffix: "}", escapeValue: false },
      returnEmptyString: false,
    });
  } else if (i18next.language !== language) {
    void i18next.changeLanguage(language);
  }
  document.documentElement.lang = language;
  return language;
}

// Keys made from what the core sends can't be checked by the compiler.
const loose = (key: string, options: Record<string, unknown>): string => (i18next.t as unknown as (key: string, options: Record<string, unknown>) => string)(key, options);

/** The {name} places of a text. */
export const placesOf = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);

/** A problem in the person's language. One code may be said in several ways, which differ in what they name: the first of
 * which every place can be filled is taken, and the core's own words where there is none. */
export function problemText(problem: Problem): { what: string; where: string; next: string } {
  const params = problem.params ?? {};
  const said = (part: "what" | "next", own = ""): string => {
    if (own === "") return "";
    const known = i18next.getResource(i18next.language, "problems", `${problem.code}.${part}`) as string | string[] | undefined;
    const text = [known ?? []].flat().find((one) => placesOf(one).every((name) => name in params));
    return text?.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "") ?? own;
  };
  return { what: said("what", problem.what), where: problem.where ?? "", next: said("next", problem.next) };
}

/** What allowing something means, in a few words. */
export const riskText = (code: string): string => loose(`settings:risk.${code}`, { defaultValue: code });
