import { Plus, X } from "lucide-react";
import { memo, useLayoutEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton, VisuallyHidden } from "../kit";
import { cellAfter, withCell, withoutRow, withPasted, withRow } from "./answers";
import css from "./ask.module.css";

/** Rows that are drawn at once: each cell is a field. */
const rowsShown = 100;

interface EditedTableProps {
  columns: readonly string[];
  rows: string[][];
  label: string;
  onChange(rows: string[][]): void;
}

/**
 * A table whose cells can be written in, with rows that come and go. Up, down and Enter go from row to row, Escape takes back
 * what was written in a cell, and cells copied from a spreadsheet can be pasted.
 */
export function EditedTable({ columns, rows, label, onChange }: EditedTableProps) {
  const { t } = useTranslation("chat");
  const [most, setMost] = useState(rowsShown);
  const box = useRef<HTMLDivElement>(null);
  /** Where the focus goes once the rows are drawn. */
  const next = useRef<[row: number, column: number]>(undefined);
  /** The text of a cell when it was entered. */
  const was = useRef("");
  const now = useRef({ rows, onChange });
  now.current = { rows, onChange };

  const focus = (row: number, column: number) => {
    const cell = box.current?.querySelector<HTMLElement>(`[data-cell="${row},${column}"]`);
    (cell ?? box.current?.querySelector<HTMLElement>("[data-add]"))?.focus();
  };
  useLayoutEffect(() => {
    if (!next.current) return;
    focus(...next.current);
    next.current = undefined;
  });

  const add = (after: number) => {
    next.current = [after + 1, 0];
    if (after + 2 > most) setMost(after + 2);
    onChange(withRow(rows, columns.length, after));
  };
  // One object for all rows, so that a row is drawn again only when it changed.
  const act = useRef<Act>({
    put: (row, column, text) => now.current.onChange(withCell(now.current.rows, row, column, text)),
    remove: (row) => {
      next.current = [Math.min(row, now.current.rows.length - 2), 0];
      now.current.onChange(withoutRow(now.current.rows, row));
    },
    enter: (text) => (was.current = text),
    key: (event, row, column) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.nativeEvent.isComposing) return;
      if (event.key === "Escape" && event.currentTarget.value !== was.current) {
        event.preventDefault();
        now.current.onChange(withCell(now.current.rows, row, column, was.current));
        return;
      }
      const to = cellAfter(event.key, row, column, now.current.rows.length);
      if (to) focus(...to);
      else if (event.key === "Enter") box.current?.querySelector<HTMLElement>("[data-add]")?.focus();
      else return;
      event.preventDefault();
    },
    paste: (event, row, column) => {
      const text = event.clipboardData.getData("text/plain");
      if (!/[\t\n]/.test(text.replace(/\r?\n$/, ""))) return;
      event.preventDefault();
      now.current.onChange(withPasted(now.current.rows, row, column, text, event.currentTarget.closest("tr")?.querySelectorAll("[data-cell]").length ?? 0));
    },
  }).current;

  if (columns.length === 0) return <p className={css.none}>{t("ask.noColumns")}</p>;
  return (
    <div className={css.edited} ref={box}>
      <div className={css.table} role="group" aria-label={label} tabIndex={-1}>
        <table>
          <thead><tr>{columns.map((column, n) => <th key={n} scope="col">{column}</th>)}<th scope="col"><VisuallyHidden>{t("ask.actions")}</VisuallyHidden></th></tr></thead>
          <tbody>
            {rows.slice(0, most).map((cells, n) => <Row key={n} at={n} cells={cells} columns={columns} act={act} />)}
            {rows.length === 0 && <tr><td colSpan={columns.length + 1} className={css.none}>{t("ask.noRows")}</td></tr>}
          </tbody>
        </table>
      </div>
      <div className={css.tableFoot}>
        <Button kind="quiet" small icon={Plus} data-add onClick={() => add(rows.length - 1)}>{t("ask.addRow")}</Button>
        {rows.length > most && <Button kind="quiet" small onClick={() => setMost(most + rowsShown)}>{t("ask.moreRows", { count: Math.min(rowsShown, rows.length - most) })}</Button>}
        <span className={css.count} role="status">{t("ask.rows", { count: rows.length })}</span>
      </div>
    </div>
  );
}

interface Act {
  put(row: number, column: number, text: string): void;
  remove(row: number): void;
  enter(text: string): void;
  key(event: KeyboardEvent<HTMLInputElement>, row: number, column: number): void;
  paste(event: ClipboardEvent<HTMLInputElement>, row: number, column: number): void;
}

const Row = memo(function Row({ at, cells, columns, act }: { at: number; cells: readonly string[]; columns: readonly string[]; act: Act }) {
  const { t } = useTranslation("chat");
  return (
    <tr>
      {columns.map((column, n) => (
        <td key={n}>
          <input type="text" data-cell={`${at},${n}`} value={cells[n] ?? ""} aria-label={t("ask.cell", { column, row: at + 1 })} autoComplete="off" spellCheck={false}
            onChange={(event) => act.put(at, n, event.target.value)} onFocus={(event) => act.enter(event.target.value)}
            onKeyDown={(event) => act.key(event, at, n)} onPaste={(event) => act.paste(event, at, n)} />
        </td>
      ))}
      <td><IconButton small icon={X} label={t("ask.removeRow", { row: at + 1 })} onClick={() => act.remove(at)} /></td>
    </tr>
  );
});
