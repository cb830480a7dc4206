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
export const es = { common: esCommon, shell: esShell, chat: esChat, settings: esSettings, forms: esForms, palette: esPalette, problems: esProblems };
