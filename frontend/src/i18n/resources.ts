/** All words, in both languages. Problems have no English file: the core says them in English itself. */
import enChat from "./en/chat.json";
import enCommon from "./en/common.json";
import enForms from "./en/forms.json";
import enPalette from "./en/palette.json";
import enSettings from "./en/settings.json";
import enShell from "./en/shell.json";
import esChat from "./es/chat.json";
import esCommon from "./es/common.json";
import esForms from "./es/forms.json";
import esPalette from "./es/palette.json";
import esProblems from "./es/problems.json";
import esSettings from "./es/settings.json";
import esShell from "./es/shell.json";

export const en = { common: enCommon, shell: enShell, chat: enChat, settings: enSettings, forms: enForms, palette: enPalette, problems: {} };
interface Words {
  [key: string]: string | string[] | Words;
}

/** Spanish says round millions in a form of its own ("un millón de archivos"); no count here gets there, so it is said as others. */
function withMillions<T extends Words>(words: T): T {
  const all: Words = {};
  for (const [key, value] of Object.entries(words)) {
    all[key] = typeof value === "string" || Array.isArray(value) ? value : withMillions(value);
    const stem = /^(.*)_other$/.exec(key)?.[1];
    if (stem && !(`${stem}_many` in words)) all[`${stem}_many`] = value;
  }
  return all as T;
}

export const es = withMillions({ common: esCommon, shell: esShell, chat: esChat, settings: esSettings, forms: esForms, palette: esPalette, problems: esProblems });
