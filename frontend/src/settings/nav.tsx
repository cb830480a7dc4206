import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useExtensions, useTools } from "../host/queries";
import { SearchBox, VisuallyHidden } from "../kit";
import { found, pages, placeOf, settings } from "./pages";
import { keyOf, refOf } from "./ref";
import css from "./settings.module.css";

interface Result {
  id: string;
  name: string;
  where: string;
  page: string;
  anchor?: string;
}

/** Results of one search; more would not be read. */
const maxResults = 12;

/** Frames in which a page that was just opened may still be drawing what was looked for. */
const patience = 60;

/** Brings a setting into view once it is drawn, and the focus to what changes it. */
function show(id: string, frames = patience): void {
  const place = document.getElementById(id);
  if (!place) {
    if (frames > 0) requestAnimationFrame(() => show(id, frames - 1));
    return;
  }
  place.scrollIntoView({ block: "center" });
  place.querySelector<HTMLElement>("button, input, [role=radio][aria-checked=true]")?.focus({ preventScroll: true });
}

/** The pages of the settings, and the search over all of them. */
export function SettingsNav({ page, onPage }: { page: string; onPage(page: string): void }) {
  const { t } = useTranslation("settings");
  const [search, setSearch] = useState("");
  const extensions = useExtensions().data;
  const tools = useTools().data;
  const here = placeOf(page).page;
  const attention = extensions?.some((view) => view.problem) ?? false;
  const results = search.trim() === "" ? undefined : find();

  function find(): Result[] {
    const all: Result[] = [];
    for (const name of pages) if (found(search, t(`page.${name}`))) all.push({ id: name, name: t(`page.${name}`), where: "", page: name });
    for (const one of settings) {
      if (found(search, t(one.name), t(one.note), t(`page.${one.page}`)) && !all.some((other) => other.id === one.name)) all.push({ id: one.name, name: t(one.name), where: t(`page.${one.page}`), page: one.page, anchor: one.name });
    }
    for (const view of extensions ?? []) {
      const key = keyOf(refOf(view));
      if (found(search, view.extension.displayName, view.extension.id)) all.push({ id: key, name: view.extension.displayName, where: t("page.extensions"), page: `extensions/${key}` });
    }
    for (const tool of tools ?? []) if (found(search, tool.title, tool.tool.name)) all.push({ id: tool.address, name: tool.title, where: t("page.tools"), page: `tools/${tool.tool.name}` });
    return all.slice(0, maxResults);
  }

  const open = (result: Result) => {
    onPage(result.page);
    if (result.anchor) show(`setting-${result.anchor.replaceAll(".", "-")}`);
  };

  return (
    <aside className="side" aria-label={t("pages")}>
      <div className={css.navSearch}>
        <SearchBox value={search} onChange={setSearch} label={t("search")} onKeyDown={(event) => {
          if (event.key === "Enter" && results?.[0]) open(results[0]);
        }} />
      </div>
      <nav className={css.nav} aria-label={t("pages")}>
        {results ? (
          <ul>
            {results.map((result) => (
              <li key={result.id}>
                <button className={`${css.entry} ${css.result}`} onClick={() => open(result)}>
                  <span>{result.name}{result.where && <small>{result.where}</small>}</span>
                </button>
              </li>
            ))}
            {results.length === 0 && <li className={css.none} role="status">{t("searchNone")}</li>}
          </ul>
        ) : (
          <ul>
            {pages.map((name) => (
              <li key={name}>
                <button className={css.entry} aria-current={here === name ? "page" : undefined} onClick={() => onPage(name)}>
                  <span>{t(`page.${name}`)}</span>
                  {name === "extensions" && attention && <span className={css.dot}><VisuallyHidden>{t("attention")}</VisuallyHidden></span>}
                </button>
              </li>
            ))}
          </ul>
        )}
      </nav>
    </aside>
  );
}
