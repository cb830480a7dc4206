/** Colours of code, by its grammar. It comes when the first code does, and gives way to others after every few lines. */
import { createCssVariablesTheme, createHighlighterCore, type GrammarState, type HighlighterCore, type LanguageInput } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

export interface Word {
  text: string;
  /** A CSS value; absent: the colour of the text. */
  color?: string;
}

/** Lines of code that are coloured before others get their turn. */
const linesAtOnce = 12;

/** The colours come from the tokens, so both themes have them and neither is loaded. */
const theme = createCssVariablesTheme({ name: "tokens", variablePrefix: "--code-" });

const languages: Record<string, () => LanguageInput> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  powershell: () => import("shiki/langs/powershell.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const others: Record<string, string> = {
  sh: "bash", shell: "bash", zsh: "bash", console: "bash", "c++": "c", cpp: "c", cc: "c", h: "c", hpp: "c", cs: "csharp", dockerfile: "docker", golang: "go", js: "javascript", mjs: "javascript", jsonc: "json", json5: "json",
  kt: "kotlin", makefile: "make", md: "markdown", ps1: "powershell", pwsh: "powershell", py: "python", python3: "python", rb: "ruby", rs: "rust", ts: "typescript", svg: "xml", yml: "yaml", patch: "diff",
};

let made: Promise<HighlighterCore> | undefined;
const highlighter = () => (made ??= createHighlighterCore({ themes: [theme], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) }));

const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

/** The words of each line with their colours; undefined when the language is unknown. */
export async function highlight(text: string, language: string): Promise<Word[][] | undefined> {
  const name = language.toLowerCase();
  const known = others[name] ?? name;
  const load = languages[known];
  if (!load) return undefined;
  const shiki = await highlighter();
  await shiki.loadLanguage(load());
  const lines = text.split("\n");
  const out: Word[][] = [];
  let state: GrammarState | undefined;
  for (let at = 0; at < lines.length; at += linesAtOnce) {
    await turn();
    const { tokens, grammarState } = shiki.codeToTokens(lines.slice(at, at + linesAtOnce).join("\n"), { lang: known, theme: "tokens", grammarState: state });
    state = grammarState;
    for (const line of tokens) out.push(line.map(({ content, color }) => (color && color !== "var(--code-foreground)" ? { text: content, color } : { text: content })));
  }
  return out;
}
