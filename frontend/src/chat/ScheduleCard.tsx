import { Ban, CalendarCheck, CalendarClock, Minus } from "lucide-react";
import { memo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { problemOf, type Entry, type ScheduleEntry } from "../host";
import { keys, useCall, useClient } from "../host/queries";
import { Button, cx, ProblemView } from "../kit";
import { ScheduleFields } from "../settings/schedules/form";
import { draftOf, fieldsOf, recurrenceWords, type Fields } from "../settings/schedules/recurrence";
import { useTabs } from "../store/tabs";
import css from "./ask.module.css";
import { chatOf, toComposer } from "./hooks";

/** What a tool would like to schedule: to be changed, accepted or declined. It stays afterwards, with the answer. */
export const ScheduleCard = memo(function ScheduleCard({ entry }: { entry: Entry }) {
  if (!entry.schedule) return null;
  return entry.state === "open" ? <Open entry={entry} asked={entry.schedule} /> : <Settled asked={entry.schedule} />;
});

function Settled({ asked }: { asked: ScheduleEntry }) {
  const { t, i18n } = useTranslation("settings");
  const { answer } = asked;
  const draft = answer?.draft ?? asked.draft;
  const Icon = !answer ? Minus : answer.accepted ? CalendarCheck : Ban;
  return (
    <div className={cx(css.ask, css.settled, css.answered)} role="group" aria-label={t("schedules.asks", { extension: asked.extension })}>
      <Icon aria-hidden className={answer?.accepted ? css.good : css.off} />
      <span className={css.question}>{draft.title} · {recurrenceWords(draft.schedule, t, i18n.language)}</span>
      {answer?.accepted && <Button kind="quiet" small onClick={() => useTabs.getState().open({ kind: "settings", page: "schedules" })}>{t("schedules.toPage")}</Button>}
      <span className={css.by}>{t(!answer ? "schedules.unanswered" : answer.accepted ? "schedules.accepted" : "schedules.declined")}</span>
    </div>
  );
}

function Open({ entry, asked }: { entry: Entry; asked: ScheduleEntry }) {
  const { t } = useTranslation("settings");
  const queries = useClient();
  const card = useRef<HTMLDivElement>(null);
  // What was changed stays while another tab is looked at.
  const [fields, setFields] = useState<Fields>(() => queries.getQueryData<Fields>(keys.answer(entry.id)) ?? fieldsOf(asked.draft));
  const review = useCall("schedules.review");
  const draft = draftOf(fields);
  const change = (next: Fields) => {
    queries.setQueryData(keys.answer(entry.id), next);
    setFields(next);
  };
  const answer = (accepted: boolean) => {
    if (review.isPending || (accepted && !draft)) return;
    const chat = chatOf(card.current);
    review.mutate({ entry: entry.id, answer: accepted ? { accepted, draft } : { accepted } }, {
      onSuccess() {
        queries.removeQueries({ queryKey: keys.answer(entry.id) });
        toComposer(chat);
      },
    });
  };
  return (
    <div ref={card} className={css.ask} role="group" aria-label={t("schedules.asks", { extension: asked.extension })}>
      <div className={css.head}><h3 className={cx(css.question, css.scheduled)}><CalendarClock aria-hidden />{t("schedules.asks", { extension: asked.extension })}</h3></div>
      <p className={css.reason}>{t("schedules.asksNote")}</p>
      <ScheduleFields compact fields={fields} onChange={change} />
      {review.error && !review.isPending && <ProblemView problem={problemOf(review.error)} />}
      <div className={css.foot}>
        <span className={css.grow} />
        <Button onClick={() => answer(false)}>{t("schedules.decline")}</Button>
        <Button kind="main" busy={review.isPending} disabled={!draft} onClick={() => answer(true)}>{t("schedules.accept")}</Button>
      </div>
    </div>
  );
}
