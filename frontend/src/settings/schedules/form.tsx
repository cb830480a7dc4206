import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, problemOf, type ScheduleKind } from "../../host";
import { cx, Field, Input, ProblemView, Segmented, Select, Switch, TextArea } from "../../kit";
import { dayName, draftOf, kinds, momentText, monthName, units, weekFrom, type Fields, type Unit } from "./recurrence";
import css from "./schedules.module.css";

/** The core is asked when the person has stopped for so long, in milliseconds. */
const pause = 250;

/** What is asked and when: for the page, and for what a tool proposes. */
export function ScheduleFields({ fields, onChange, compact }: { fields: Fields; onChange(fields: Fields): void; compact?: boolean }) {
  const { t, i18n } = useTranslation("settings");
  const language = i18n.language;
  const set = (part: Partial<Fields>) => onChange({ ...fields, ...part });
  const turn = (day: number) => set({ weekdays: fields.weekdays.includes(day) ? fields.weekdays.filter((other) => other !== day) : [...fields.weekdays, day] });
  const time = <Field label={t("schedules.time")}><Input type="time" value={fields.time} onChange={(event) => set({ time: event.target.value })} /></Field>;
  const day = <Field label={t("schedules.day")} below={t("schedules.dayHint")}><Input inputMode="numeric" value={fields.day} onChange={(event) => set({ day: event.target.value })} /></Field>;
  return (
    <div className={cx(css.form, compact && css.compact)}>
      <Field label={t("schedules.title")} below={compact ? undefined : t("schedules.titleHint")}><Input value={fields.title} maxLength={200} onChange={(event) => set({ title: event.target.value })} /></Field>
      <Field label={t("schedules.instruction")} below={compact ? undefined : t("schedules.instructionHint")}><TextArea value={fields.instruction} maxLength={10_000} onChange={(event) => set({ instruction: event.target.value })} /></Field>
      <div className={css.kind}>
        <span>{t("schedules.kind")}</span>
        <Segmented label={t("schedules.kind")} value={fields.kind} onChange={(kind: ScheduleKind) => set({ kind })} choices={kinds.map((kind) => ({ value: kind, label: t(`schedules.${kind}`) }))} />
      </div>
      <div className={css.when}>
        {fields.kind === "once" && <Field label={t("schedules.at")}><Input type="datetime-local" value={fields.at} onChange={(event) => set({ at: event.target.value })} /></Field>}
        {fields.kind === "interval" && (
          <Field label={t("schedules.every")}>
            <div className={css.every}>
              <Input inputMode="numeric" value={fields.every} onChange={(event) => set({ every: event.target.value })} />
              <Select label={t("schedules.unit")} value={fields.unit} onChange={(unit: Unit) => set({ unit })} choices={(Object.keys(units) as Unit[]).map((unit) => ({ value: unit, label: t(`schedules.${unit}`) }))} />
            </div>
          </Field>
        )}
        {fields.kind === "weekly" && (
          <div className={css.labelled}>
            <span>{t("schedules.weekdays")}</span>
            <div className={css.days} role="group" aria-label={t("schedules.weekdays")}>
              {weekFrom(language).map((one) => (
                <button key={one} type="button" className={css.weekday} aria-pressed={fields.weekdays.includes(one)} aria-label={dayName(language, one)} onClick={() => turn(one)}>{dayName(language, one, "short")}</button>
              ))}
            </div>
          </div>
        )}
        {fields.kind === "yearly" && (
          <div className={css.labelled}>
            <span>{t("schedules.month")}</span>
            <Select wide label={t("schedules.month")} value={String(fields.month)} onChange={(month) => set({ month: Number(month) })} choices={Array.from({ length: 12 }, (_, n) => ({ value: String(n + 1), label: monthName(language, n + 1) }))} />
          </div>
        )}
        {(fields.kind === "monthly" || fields.kind === "yearly") && day}
        {fields.kind !== "once" && fields.kind !== "interval" && time}
      </div>
      <label className={css.missed}>
        <span><b>{t("schedules.runMissed")}</b><small>{t("schedules.runMissedNote")}</small></span>
        <Switch on={fields.runMissed} label={t("schedules.runMissed")} onChange={(runMissed) => set({ runMissed })} />
      </label>
      <Upcoming fields={fields} most={compact ? 3 : 5} />
    </div>
  );
}

/** When it would be due, or why it can't be: asked of the core, which knows the clock changes. */
function Upcoming({ fields, most }: { fields: Fields; most: number }) {
  const { t, i18n } = useTranslation("settings");
  const wanted = JSON.stringify(draftOf(fields) ?? null);
  const [asked, setAsked] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), pause);
    return () => clearTimeout(timer);
  }, [wanted]);
  const draft = JSON.parse(asked) as ReturnType<typeof draftOf> | null;
  const times = useQuery({ queryKey: ["schedules", "preview", asked, most], queryFn: () => call("schedules.preview", { draft: draft!, most }), enabled: draft !== null, gcTime: 0, placeholderData: (was) => was });
  if (!draft) return null;
  if (times.error) return <ProblemView problem={{ ...problemOf(times.error), issues: undefined, where: undefined }} />;
  if (!times.data) return null;
  return (
    <p className={css.upcoming} role="status">
      <b>{t("schedules.upcoming")}</b> {times.data.length === 0 ? t("schedules.upcomingNone") : times.data.map((at, n) => <span key={n}>{n > 0 && "· "}{momentText(i18n.language, at)} </span>)}
    </p>
  );
}
