import { Check, ChevronDown, ChevronRight, Minus } from "lucide-react";
import { memo, useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import type { Entry, Question } from "../host";
import { keys, useCall, useClient } from "../host/queries";
import { Button, cx, ProblemView, SearchBox, VisuallyHidden } from "../kit";
import { problemOf } from "../host";
import { answerOf, answerText, begun, choose, isConfirmation, isTable, many, optionsOf, takesText, unanswerable, type Draft } from "./answers";
import css from "./ask.module.css";
import { DiffView } from "./DiffView";
import { EditedTable } from "./EditedTable";
import { chatOf, toComposer, useComplain } from "./hooks";
import { ShownImage, ShownTable } from "./Shown";

/** Digits choose among this many. */
const digits = 9;

/** From so many on, what is offered can be searched. */
const searchFrom = 12;

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
  return (
    <div className={cx(css.ask, css.settled)} role="group" aria-label={t("ask.by", { extension: by })}>
      {questions.map((question, n) => <Answered key={n} question={question} answer={answers?.[n]} answered={!!answers} by={n === 0 ? by : undefined} />)}
    </div>
  );
}

/** What was asked and answered, in one line; what was looked at unfolds. */
function Answered({ question, answer, answered, by }: { question: Question; answer: unknown; answered: boolean; by?: string }) {
  const { t } = useTranslation("chat");
  const [unfolded, setUnfolded] = useState(false);
  const words = { accept: t("ask.accepted"), reject: t("ask.rejected"), nothing: t("ask.nothing"), rows: (count: number) => t("ask.rows", { count }) };
  const columns = question.columns ?? [];
  const rows = isTable(question) && Array.isArray(answer) ? (answer as Record<string, string>[]).map((row) => columns.map((column) => row[column] ?? "")) : (question.rows ?? []);
  const shown = question.kind === "diff" || question.kind === "image" || (isTable(question) && columns.length > 0);
  const Icon = unfolded ? ChevronDown : ChevronRight;
  return (
    <div className={css.done}>
      <div className={css.answered}>
        <span className={css.question}>{question.question}</span>
        {answered ? <span className={css.answer}><Check aria-hidden />{answerText(question, answer, words)}</span> : <span className={css.unanswered}><Minus aria-hidden />{t("ask.unanswered")}</span>}
        {shown && <Button kind="quiet" small icon={Icon} aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>{t("ask.look")}</Button>}
        {by && <span className={css.by}>{t("ask.by", { extension: by })}</span>}
      </div>
      {unfolded && question.kind === "diff" && <DiffView before={question.before ?? ""} after={question.after ?? ""} title={question.title} />}
      {unfolded && question.kind === "image" && <ShownImage dataB64={question.dataB64} mime={question.mime} alt={question.title ?? question.question} caption={question.title ?? ""} />}
      {unfolded && isTable(question) && <ShownTable columns={columns} rows={rows} label={question.question} />}
    </div>
  );
}

const isTyping = (target: EventTarget): boolean => target instanceof HTMLElement && target.matches("textarea, input:not([type=radio]):not([type=checkbox])");

function Open({ entry, questions, by }: { entry: Entry; questions: readonly Question[]; by: string }) {
  const { t } = useTranslation("chat");
  const queries = useClient();
  const complain = useComplain();
  // What is put in stays while another tab is looked at.
  const [drafts, setDrafts] = useState<Draft[]>(() => queries.getQueryData<Draft[]>(keys.answer(entry.id)) ?? questions.map(begun));
  const [at, setAt] = useState(0);
  const answer = useCall("chat.answer");
  const stop = useCall("chat.stop");
  const card = useRef<HTMLFormElement>(null);
  const answers = questions.map((question, n) => answerOf(question, drafts[n] ?? begun(question)));
  const given = answers.filter((one) => one !== undefined).length;
  const ready = given === answers.length;
  const hopeless = questions.some(unanswerable);
  const change = (n: number, draft: Draft) => {
    const next = drafts.map((other, m) => (m === n ? draft : other));
    queries.setQueryData(keys.answer(entry.id), next);
    setDrafts(next);
  };
  const send = () => {
    if (!ready || answer.isPending) return;
    const chat = chatOf(card.current);
    answer.mutate({ entry: entry.id, answers }, { onSuccess: () => {
      queries.removeQueries({ queryKey: keys.answer(entry.id) });
      toComposer(chat);
    } });
  };
  const choices = Math.min(digits, Math.max(0, ...questions.map((question) => optionsOf(question, { accept: "", reject: "" }).length + (takesText(question) && question.options?.length ? 1 : 0))));
  const hint = questions.length > 1 ? t("ask.given", { count: given, of: questions.length }) : choices > 1 ? t("ask.keys", { last: choices }) : questions.some(isTable) ? t("ask.tableKeys") : "";

  // Who has nothing else in hand is taken to the question; a draft keeps the focus.
  useEffect(() => {
    const now = document.activeElement;
    const idle = !now || now === document.body || (now instanceof HTMLTextAreaElement && now.dataset.composer !== undefined && now.value === "");
    if (idle && document.hasFocus() && card.current?.closest("[data-active=true]")) first(card.current)?.focus({ preventScroll: true });
  }, []);

  // The transcript follows its end: of a form higher than the window that is the last question. It is read from the first one.
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => { // the transcript has settled at its end by now
        const form = card.current;
        const view = form?.closest<HTMLElement>("[role=log]");
        if (form && view && form.offsetHeight > view.clientHeight && view.scrollHeight - view.scrollTop - view.clientHeight <= 1) form.scrollIntoView({ block: "start" });
      });
    });
    return () => cancelAnimationFrame(frame);
  }, []);

  /** Goes to what still has no answer. */
  const goOn = () => {
    const open = answers.findIndex((one) => one === undefined);
    first(card.current?.querySelector(`[data-question="${open}"]`))?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.nativeEvent.isComposing) return;
    const modified = event.ctrlKey || event.metaKey;
    if (!isTyping(event.target) && /^[1-9]$/.test(event.key) && !modified && !event.altKey) {
      event.preventDefault();
      const row = card.current?.querySelectorAll(`[data-question="${at}"] [data-choice]`)[Number(event.key) - 1];
      const input = row?.querySelector<HTMLInputElement>("input");
      input?.focus();
      input?.click();
    } else if (event.key === "Enter" && modified) {
      event.preventDefault();
      if (ready) send();
      else goOn();
    } else if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement) && !(event.target instanceof HTMLTextAreaElement && event.shiftKey)) {
      event.preventDefault();
      if (ready) send();
      else goOn();
    } else if (event.key === "Escape") {
      event.preventDefault();
      chatOf(card.current)?.querySelector<HTMLElement>("[data-composer]")?.focus({ preventScroll: true });
    }
  };

  return (
    <form ref={card} className={css.ask} data-waits="question" aria-label={t("ask.by", { extension: by })} onKeyDown={onKeyDown}
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
        <span className={css.hint} role={questions.length > 1 ? "status" : undefined}>{hint}</span>
        {hopeless && <Button busy={stop.isPending} onClick={() => stop.mutate({ session: entry.session }, { onError: complain })}>{t("composer.stop")}</Button>}
        <Button type="submit" kind="main" disabled={!ready} busy={answer.isPending}>{t("ask.answer")}</Button>
      </div>
    </form>
  );
}

/** Where a question is answered from the keyboard: what is chosen, else the first there is. */
const first = (part: Element | null | undefined): HTMLElement | null =>
  part?.querySelector<HTMLElement>("[data-choice] input:checked") ?? part?.querySelector<HTMLElement>("[data-choice] input, textarea, td input, [data-add]") ?? null;

interface OneProps {
  question: Question;
  draft: Draft;
  onChange(draft: Draft): void;
  by: string | undefined;
}

function One({ question, draft, onChange, by }: OneProps) {
  const { t } = useTranslation("chat");
  const id = useId();
  const [search, setSearch] = useState("");
  const other = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const options = optionsOf(question, { accept: t("ask.accept"), reject: t("ask.reject") });
  const wanted = search.trim().toLowerCase();
  const shown = wanted === "" ? options : options.filter((option) => `${option.label} ${option.description ?? ""}`.toLowerCase().includes(wanted));
  const several = many(question);
  const type = several ? "checkbox" : "radio";
  const text = takesText(question);
  const wide = question.kind === "diff" || question.kind === "image";
  return (
    <fieldset aria-labelledby={`${id}-question`} className={css.one}>
      <div className={css.head}>
        <h3 id={`${id}-question`} className={css.question}>{question.question}</h3>
        {by && <span className={css.by}>{t("ask.by", { extension: by })}</span>}
      </div>
      {question.kind === "diff" && <DiffView before={question.before ?? ""} after={question.after ?? ""} title={question.title} />}
      {question.kind === "image" && <ShownImage dataB64={question.dataB64} mime={question.mime} alt={question.title ?? question.question} caption={question.title ?? ""} />}
      {isTable(question) && <EditedTable columns={question.columns ?? []} rows={draft.rows} label={question.question} onChange={(rows) => onChange({ ...draft, rows })} />}
      {unanswerable(question) && <p className={css.none}>{t("ask.hopeless")}</p>}
      {several && options.length === 0 && !text && <p className={css.none}>{t("ask.nothingOffered")}</p>}
      {options.length > searchFrom && (
        <SearchBox value={search} onChange={setSearch} label={t("ask.search", { count: options.length })} onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "ArrowDown") return;
          event.preventDefault();
          list.current?.querySelector<HTMLElement>("input")?.focus();
        }} />
      )}
      {options.length > 0 && (
        <div ref={list} className={cx(css.options, wide && css.side, options.length > searchFrom && css.many)} role={several ? "group" : "radiogroup"} aria-labelledby={`${id}-question`}>
          {shown.map((option, n) => {
            const chosen = draft.chosen.includes(option.value) && (several || !draft.other);
            return (
              <label key={`${n} ${option.value}`} data-choice className={cx(css.option, chosen && css.chosen)}>
                <input type={type} name={id} checked={chosen} onChange={() => onChange(choose(question, draft, option.value))} />
                <span className={css.text}>
                  <span className={question.kind === "files" ? css.file : undefined}>{option.label}</span>
                  {option.description && <span className={cx(css.description, question.kind === "files" && option.description.includes("/") && css.file)}>{option.description}</span>}
                </span>
              </label>
            );
          })}
          {shown.length === 0 && <p className={css.none} role="status">{t("ask.noMatch")}</p>}
          {text && (
            <label data-choice className={cx(css.option, draft.other && css.chosen)}>
              <input type={type} name={id} checked={draft.other} tabIndex={-1} aria-label={t("ask.other")} onChange={() => {
                onChange({ ...draft, other: several ? !draft.other : true, chosen: several ? draft.chosen : [] });
                if (!several || !draft.other) other.current?.focus();
              }} />
              <input ref={other} type="text" className={css.other} value={draft.text} placeholder={t("ask.other")} aria-label={t("ask.other")} autoComplete="off"
                onFocus={() => !draft.other && !several && onChange({ ...draft, other: true, chosen: [] })}
                onKeyDown={(event) => {
                  // The arrow keys go on through the choices, as they came.
                  if (several || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
                  event.preventDefault();
                  const all = list.current?.querySelectorAll<HTMLInputElement>("[data-choice] input[type=radio]") ?? [];
                  const to = event.key === "ArrowUp" ? all[all.length - 2] : all[0];
                  to?.focus();
                  to?.click();
                }}
                onChange={(event) => onChange({ ...draft, text: event.target.value, other: several ? event.target.value !== "" : true, chosen: several ? draft.chosen : [] })} />
            </label>
          )}
        </div>
      )}
      {text && options.length === 0 && (
        <textarea className={css.area} rows={2} value={draft.text} aria-labelledby={`${id}-question`} onChange={(event) => onChange({ ...draft, text: event.target.value })} />
      )}
      {several && options.length > 1 && <VisuallyHidden>{t("ask.several")}</VisuallyHidden>}
    </fieldset>
  );
}
