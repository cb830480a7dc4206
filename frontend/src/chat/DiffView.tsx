import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { create } from "zustand";
import { cx, Segmented, VisuallyHidden } from "../kit";
import { counts, sideBySide, unified, type Line } from "./lines";
import css from "./diff.module.css";

/** Lines that are drawn at once; more are behind a button of who shows them. */
export const linesShown = 2000;

type Way = "one" | "two";

/** How differences are read; whoever changes it for one means all. */
const useWay = create<{ way: Way; setWay(way: Way): void }>((set) => ({ way: "one", setWay: (way) => set({ way }) }));

/** Two texts as one, line by line, or side by side: what goes and what comes. */
export function DiffView({ before, after, title }: { before: string; after: string; title?: string }) {
  const { t } = useTranslation("chat");
  const { way, setWay } = useWay();
  const lines = useMemo(() => unified(before, after), [before, after]);
  const { added, removed } = counts(lines);
  const same = added === 0 && removed === 0;
  return (
    <figure className={css.diff} aria-label={title || t("diff.label")}>
      <figcaption>
        <span className={css.title}>{title || t("diff.label")}</span>
        <span className={css.added} aria-label={t("diff.added", { count: added })}>+{added}</span>
        <span className={css.removed} aria-label={t("diff.removed", { count: removed })}>−{removed}</span>
        {!same && <span className={css.way}><Segmented label={t("diff.way")} value={way} onChange={setWay} choices={[{ value: "one", label: t("diff.inline") }, { value: "two", label: t("diff.beside") }]} /></span>}
      </figcaption>
      <div className={css.lines} tabIndex={0} role="group" aria-label={t("diff.lines")}>
        {same ? <p className={css.none}>{t("diff.none")}</p> : way === "two" ? <Beside lines={lines} /> : <Inline lines={lines} />}
      </div>
      {lines.length > linesShown && <p className={css.none}>{t("diff.more", { count: lines.length - linesShown })}</p>}
    </figure>
  );
}

function Gap({ lines, span }: { lines: number; span: number }) {
  const { t } = useTranslation("chat");
  return <tr className={css.gap}><td colSpan={span}>{t("diff.gap", { count: lines })}</td></tr>;
}

function Inline({ lines }: { lines: readonly Line[] }) {
  const { t } = useTranslation("chat");
  return (
    <table role="presentation">
      <tbody>
        {lines.slice(0, linesShown).map((line, n) =>
          line.type === "gap" ? (
            <Gap key={n} lines={line.lines} span={3} />
          ) : (
            <tr key={n} className={line.type === "added" ? css.add : line.type === "removed" ? css.del : undefined}>
              <td className={css.number}>{line.after ?? line.before}</td>
              <td className={css.sign} aria-hidden>{line.type === "added" ? "+" : line.type === "removed" ? "−" : ""}</td>
              <td className={css.text}>
                {line.type !== "same" && <VisuallyHidden>{line.type === "added" ? t("diff.addedLine") : t("diff.removedLine")} </VisuallyHidden>}
                {line.text}
              </td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

type Side = Exclude<Line, { type: "gap" }> | undefined;

function Beside({ lines }: { lines: readonly Line[] }) {
  const pairs = useMemo(() => sideBySide(lines.slice(0, linesShown)), [lines]);
  return (
    <table role="presentation" className={css.two}>
      <colgroup><col className={css.numbers} /><col /><col className={css.numbers} /><col /></colgroup>
      <tbody>
        {pairs.map((pair, n) =>
          pair.type === "gap" ? (
            <Gap key={n} lines={pair.lines} span={4} />
          ) : (
            <tr key={n}>
              <Half line={pair.left} number={pair.left?.before} />
              <Half line={pair.right} number={pair.right?.after} />
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

function Half({ line, number }: { line: Side; number: number | undefined }) {
  const { t } = useTranslation("chat");
  const look = !line ? css.nothing : line.type === "added" ? css.add : line.type === "removed" ? css.del : undefined;
  return (
    <>
      <td className={cx(css.number, look)}>{number}</td>
      <td className={cx(css.text, look)}>
        {line && line.type !== "same" && <VisuallyHidden>{line.type === "added" ? t("diff.addedLine") : t("diff.removedLine")} </VisuallyHidden>}
        {line?.text}
      </td>
    </>
  );
}
