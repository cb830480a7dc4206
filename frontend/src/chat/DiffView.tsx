import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { VisuallyHidden } from "../kit";
import { counts, unified } from "./lines";
import css from "./diff.module.css";

/** Lines that are drawn at once; more are behind a button of who shows them. */
export const linesShown = 2000;

/** Two texts as one, line by line: what goes and what comes. */
export function DiffView({ before, after, title }: { before: string; after: string; title?: string }) {
  const { t } = useTranslation("chat");
  const lines = useMemo(() => unified(before, after), [before, after]);
  const { added, removed } = counts(lines);
  return (
    <figure className={css.diff} aria-label={title || t("diff.label")}>
      <figcaption>
        <span className={css.title}>{title || t("diff.label")}</span>
        <span className={css.added} aria-label={t("diff.added", { count: added })}>+{added}</span>
        <span className={css.removed} aria-label={t("diff.removed", { count: removed })}>−{removed}</span>
      </figcaption>
      <div className={css.lines} tabIndex={0} role="group" aria-label={t("diff.lines")}>
        {lines.length === 0 || (added === 0 && removed === 0) ? <p className={css.none}>{t("diff.none")}</p> : (
          <table role="presentation">
            <tbody>
              {lines.slice(0, linesShown).map((line, n) =>
                line.type === "gap" ? (
                  <tr key={n} className={css.gap}><td colSpan={3}>{t("diff.gap", { count: line.lines })}</td></tr>
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
        )}
      </div>
      {lines.length > linesShown && <p className={css.none}>{t("diff.more", { count: lines.length - linesShown })}</p>}
    </figure>
  );
}
