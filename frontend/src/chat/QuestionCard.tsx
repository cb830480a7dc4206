import { Check, Minus, Plus, X } from "lucide-react";
import { memo, useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import type { Entry, Question } from "../host";
import { useCall } from "../host/queries";
import { Button, cx, IconButton, ProblemView, VisuallyHidden } from "../kit";
import { problemOf } from "../host";
import { answerOf, answerText, begun, choose, isConfirmation, isTable, many, optionsOf, takesText, type Draft } from "./answers";
import css from "./ask.module.css";
import { DiffView } from "./DiffView";
import { toComposer } from "./hooks";
import { ShownImage } from "./Shown";

/** Digits choose among this many. */
const digits = 9;

/** A question of a tool, or several at once. It stays afterwards, with the answer. */
export const QuestionCard = memo(function QuestionCard({ entry, tool }: { entry: Entry; tool?: string }) {
  const { t } = useTranslation("chat");
  const asked = entry.question;
  if (!asked) return null;
  const own = isConfirmation(asked.extension, asked.questions ?? []);
  const questions = own ? (asked.questions ?? []).map((question) => ({ ...question, question: t("confirm.question", { tool: tool ?? "" }), options: question.options?.map((option) => ({ ...option, label: t(`confirm.${option.value as "yes" | "no" | "stop"}`) })) })) : (asked.questions ?? []);
  const by = asked.extension || "Portico";
  if (entry.state !== "open") return <Settled entry={entry} questions={questions} by={by} />;
  return <Open entry={entry} questions={questions} by={by} />;
});

function Settled({ entry, questions, by }: { entry: Entry; questions: readonly Question[]; by: string }) {
  const { t } = useTranslation("chat");
  const answers = entry.question?.answers;
  const words = { accept: t("ask.accept"), reject: t("ask.reject"), nothing: t("ask.nothing"), rows: (count: number) => t("ask.rows", { count }) };
  return (
    <div className={cx(css.ask, css.settled)}>
      {questions.map((question, n) => (
        <div key={n} className={css.answered}>
          <span className={css.question}>{question.question}</span>
          {answers ? <span className={css.answer}><Check aria-hidden />{answerText(question, answers[n], words)}</span> : <span className={css.unanswered}><Minus aria-hidden />{t("ask.unanswered")}</span>}
          {n === 0 && <span className={css.by}>{t("ask.by", { extension: by })}</span>}
        </div>
      ))}
    </div>
  );
}

function Open({ entry, questions, by }: { entry: Entry; questions: readonly Question[]; by: string }) {
  const { t } = useTranslation("chat");
  const [drafts, setDrafts] = useState<Draft[]>(() => questions.map(begun));
  const [at, setAt] = useState(0);
  const answer = useCall("chat.answer");
  const card = useRef<HTMLFormElement>(null);
  const answers = questions.map((question, n) => answerOf(question, drafts[n] ?? begun(question)));
  const ready = answers.every((one) => one !== undefined);
  const change = (n: number, draft: Draft) => setDrafts((all) => all.map((other, m) => (m === n ? draft : other)));
  const send = () => ready && !answer.isPending && answer.mutate({ entry: entry.id, answers }, { onSuccess: () => toComposer(card.current) });
  const choices = Math.min(digits, Math.max(0, ...questions.map((question) => optionsOf(question, { accept: "", reject: "" }).length + (takesText(question) && question.options?.length ? 1 : 0))));

  // Who has nothing else in hand is taken to the question; a draft keeps the focus.
  useEffect(() => {
    const now = document.activeElement;
    const idle = !now || now === document.body || (now instanceof HTMLTextAreaElement && now.dataset.composer !== undefined && now.value === "");
    if (idle && document.hasFocus() && card.current?.closest("[data-active=true]")) card.current.querySelector<HTMLElement>("input, textarea")?.focus({ preventScroll: true });
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    const typing = event.target instanceof HTMLElement && event.target.matches("textarea, input:not([type=radio]):not([type=checkbox])");
    if (!typing && /^[1-9]$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      const row = card.current?.querySelectorAll(`[data-question="${at}"] [data-choice]`)[Number(event.key) - 1];
      const input = row?.querySelector<HTMLInputElement>("input");
      if (input?.type === "text") input.focus();
      else {
        input?.focus();
        input?.click();
      }
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing && !(event.target instanceof HTMLButtonElement) && !(event.target instanceof HTMLTextAreaElement && event.shiftKey)) {
      event.preventDefault();
      send();
    }
  };

  return (
    <form ref={card} className={css.ask} aria-label={t("ask.by", { extension: by })} onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}>
      {questions.map((question, n) => (
        <div key={n} data-question={n} onFocus={() => setAt(n)} className={css.part}>
          <One question={question} draft={drafts[n] ?? begun(question)} onChange={(draft) => change(n, draft)} by={n === 0 ? by : undefined} />
        </div>
      ))}
      {answer.error && <ProblemView problem={problemOf(answer.error)} />}
      <div className={css.foot}>
        <span className={css.hint}>{choices > 1 ? t("ask.keys", { last: choices }) : ""}</span>
        <Button type="submit" kind="main" disabled={!ready} busy={answer.isPending}>{t("ask.answer")}</Button>
      </div>
    </form>
  );
}

interface OneProps {
  question: Question;
  draft: Draft;
  onChange(draft: Draft): void;
  by: string | undefined;
}

function One({ question, draft, onChange, by }: OneProps) {
  const { t } = useTranslation("chat");
  const id = useId();
  const options = optionsOf(question, { accept: t("ask.accept"), reject: t("ask.reject") });
  const several = many(question);
  const type = several ? "checkbox" : "radio";
  const text = takesText(question);
  return (
    <fieldset aria-labelledby={`${id}-question`} className={css.one}>
      <div className={css.head}>
        <h3 id={`${id}-question`} className={css.question}>{question.question}</h3>
        {by && <span className={css.by}>{t("ask.by", { extension: by })}</span>}
      </div>
      {question.kind === "diff" && <DiffView before={question.before ?? ""} after={question.after ?? ""} title={question.title} />}
      {question.kind === "image" && <ShownImage dataB64={question.dataB64} mime={question.mime} alt={question.title ?? question.question} />}
      {isTable(question) && <EditedTable question={question} draft={draft} onChange={onChange} />}
      {options.map((option) => {
        const chosen = draft.chosen.includes(option.value) && (several || !draft.other);
        return (
          <label key={option.value} data-choice className={cx(css.option, chosen && css.chosen)}>
            <input type={type} name={id} checked={chosen} onChange={() => onChange(choose(question, draft, option.value))} />
            <span className={css.text}>
              <span>{option.label}</span>
              {option.description && <span className={css.description}>{option.description}</span>}
            </span>
          </label>
        );
      })}
      {text && options.length > 0 && (
        <label data-choice className={cx(css.option, draft.other && css.chosen)}>
          <input type={type} name={id} checked={draft.other} tabIndex={-1} aria-label={t("ask.other")} onChange={() => onChange({ ...draft, other: several ? !draft.other : true, chosen: several ? draft.chosen : [] })} />
          <input type="text" className={css.other} value={draft.text} placeholder={t("ask.other")} aria-label={t("ask.other")} autoComplete="off"
            onFocus={() => !draft.other && !several && onChange({ ...draft, other: true, chosen: [] })}
            onChange={(event) => onChange({ ...draft, text: event.target.value, other: several ? event.target.value !== "" : true, chosen: several ? draft.chosen : [] })} />
        </label>
      )}
      {text && options.length === 0 && (
        <textarea className={css.area} rows={2} value={draft.text} aria-labelledby={`${id}-question`} onChange={(event) => onChange({ ...draft, text: event.target.value })} />
      )}
    </fieldset>
  );
}

function EditedTable({ question, draft, onChange }: Pick<OneProps, "question" | "draft" | "onChange">) {
  const { t } = useTranslation("chat");
  const columns = question.columns ?? [];
  const put = (at: number, column: string, value: string) => onChange({ ...draft, rows: draft.rows.map((row, n) => (n === at ? { ...row, [column]: value } : row)) });
  return (
    <div className={css.table}>
      <table>
        <thead><tr>{columns.map((column) => <th key={column} scope="col">{column}</th>)}<th scope="col"><VisuallyHidden>{t("ask.actions")}</VisuallyHidden></th></tr></thead>
        <tbody>
          {draft.rows.map((row, n) => (
            <tr key={n}>
              {columns.map((column) => (
                <td key={column}><input type="text" value={row[column] ?? ""} aria-label={t("ask.cell", { column, row: n + 1 })} autoComplete="off" onChange={(event) => put(n, column, event.target.value)} /></td>
              ))}
              <td><IconButton small icon={X} label={t("ask.removeRow", { row: n + 1 })} onClick={() => onChange({ ...draft, rows: draft.rows.filter((_, m) => m !== n) })} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button kind="quiet" small icon={Plus} onClick={() => onChange({ ...draft, rows: [...draft.rows, Object.fromEntries(columns.map((column) => [column, ""]))] })}>{t("ask.addRow")}</Button>
    </div>
  );
}
