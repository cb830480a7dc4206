import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Display } from "../host";
import { Button } from "../kit";
import { DiffView } from "./DiffView";
import { Markdown } from "./Markdown";
import prose from "./prose.module.css";
import css from "./shown.module.css";

/** Rows of a table that are drawn before the person asks for all. */
const rowsShown = 200;

const pictures = /^image\/(png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/i;

/** What a tool showed. It is held in a plain box of its own, so that it can pass for nothing of the app. */
export function Shown({ display }: { display: Display }) {
  const { t } = useTranslation("chat");
  switch (display.kind) {
    case "markdown":
      return <div className={css.box}>{display.title && <p className={css.title}>{display.title}</p>}<Markdown text={display.markdown ?? ""} /></div>;
    case "image":
      return <ShownImage dataB64={display.dataB64} mime={display.mime} alt={display.alt || display.title || ""} />;
    case "table":
      return (
        <div className={css.table}>
          {display.title && <p className={css.title}>{display.title}</p>}
          <ShownTable columns={display.columns ?? []} rows={display.rows ?? []} label={display.title || t("table")} />
        </div>
      );
    case "diff":
      return <DiffView before={display.before ?? ""} after={display.after ?? ""} title={display.title} />;
    default:
      return null;
  }
}

/** A picture; what it is stands under it, unless that already stands beside it. */
export function ShownImage({ dataB64, mime, alt, caption = alt }: { dataB64: string | undefined; mime: string | undefined; alt: string; caption?: string }) {
  const { t } = useTranslation("chat");
  const [broken, setBroken] = useState(false);
  if (broken || !dataB64 || !pictures.test(mime ?? "")) return <p className={css.box}>{t("pictureBroken", { alt: alt || t("pictureNoName") })}</p>;
  return (
    <figure className={css.figure}>
      <img src={`data:${mime};base64,${dataB64}`} alt={alt} draggable={false} onError={() => setBroken(true)} />
      {caption && <figcaption>{caption}</figcaption>}
    </figure>
  );
}

const cell = (value: unknown): string => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

export function ShownTable({ columns, rows, label }: { columns: readonly string[]; rows: readonly (readonly unknown[])[]; label: string }) {
  const { t } = useTranslation("chat");
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, rowsShown);
  return (
    <>
      <div className={prose.table} tabIndex={0} role="group" aria-label={label}>
        <table>
          <thead><tr>{columns.map((column, n) => <th key={n} scope="col" data-number={typeof rows[0]?.[n] === "number" || undefined}>{column}</th>)}</tr></thead>
          <tbody>
            {shown.map((row, n) => <tr key={n}>{columns.map((_, c) => <td key={c} data-number={typeof row[c] === "number" || undefined}>{cell(row[c])}</td>)}</tr>)}
          </tbody>
        </table>
      </div>
      {rows.length > shown.length && <Button kind="quiet" small onClick={() => setAll(true)}>{t("allRows", { count: rows.length })}</Button>}
    </>
  );
}
