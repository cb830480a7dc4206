import { useMutation, useQuery } from "@tanstack/react-query";
import { CalendarClock, History, MessageSquare, MoreHorizontal, Pencil, Play, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, problemOf, type Schedule, type ScheduleRun, type ScheduleRunState } from "../../host";
import { keys, useClient, useSchedules } from "../../host/queries";
import { useFormats } from "../../i18n";
import { Button, Chip, Dialog, EmptyState, Group, GroupRow, Grow, IconButton, Menu, ProblemView, Section, Skeleton, Switch, toast, type Tone } from "../../kit";
import { useTabs } from "../../store/tabs";
import { sayFailed } from "../changes";
import { Loaded } from "../loaded";
import css from "../settings.module.css";
import { ScheduleFields } from "./form";
import { draftOf, fieldsOf, momentText, recurrenceWords } from "./recurrence";

const tones: Record<ScheduleRunState, Tone> = { started: "accent", finished: "good", failed: "bad", missed: "warn", interrupted: "warn" };

/** What is sent by itself: the next times, what became of the last ones, and each way to change it. */
export function SchedulesPage() {
  const { t } = useTranslation("settings");
  const [editing, setEditing] = useState<Schedule | "new">();
  const add = <Button kind="main" icon={Plus} onClick={() => setEditing("new")}>{t("schedules.new")}</Button>;
  return (
    <div className={css.lane}>
      <Loaded query={useSchedules()} lines={6}>
        {(all) => {
          const coming = all.filter((one) => one.nextAt && !one.paused);
          const stopped = all.filter((one) => !one.nextAt || one.paused);
          const section = (title: string, some: readonly Schedule[]) => some.length > 0 && <Section title={title}><Group>{some.map((one) => <Row key={one.id} one={one} onEdit={() => setEditing(one)} />)}</Group></Section>;
          return (
            <>
              <header><div className={css.top}><h1>{t("page.schedules")}</h1>{all.length > 0 && add}</div><p>{t("schedules.intro")}</p></header>
              {all.length === 0 && <EmptyState icon={CalendarClock} title={t("schedules.none")} actions={add}>{t("schedules.noneNote")}</EmptyState>}
              {section(t("schedules.coming"), coming)}
              {section(t("schedules.stopped"), stopped)}
            </>
          );
        }}
      </Loaded>
      {editing && <EditDialog one={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />}
    </div>
  );
}

const openChat = (session: string) => useTabs.getState().open({ kind: "session", session });

function Row({ one, onEdit }: { one: Schedule; onEdit(): void }) {
  const { t, i18n } = useTranslation("settings");
  const format = useFormats();
  const client = useClient();
  const [history, setHistory] = useState(false);
  const { title } = one.draft;
  const again = () => client.invalidateQueries({ queryKey: keys.schedules, exact: true });
  const pause = useMutation({
    mutationFn: (paused: boolean) => call("schedules.pause", { id: one.id, paused }),
    onMutate(paused) {
      client.setQueryData<Schedule[]>(keys.schedules, (all) => all?.map((other) => (other.id === one.id ? { ...other, paused } : other)));
    },
    onError: sayFailed,
    onSettled: again,
  });
  const run = useMutation({
    mutationFn: () => call("schedules.runNow", { id: one.id }),
    onSuccess: (done) => toast(done.state === "failed" ? { tone: "bad", text: t("schedules.ranBad", { title }) } : { tone: "good", text: t("schedules.ran", { title }) }),
    onError: sayFailed,
    onSettled: again,
  });
  const remove = useMutation({
    mutationFn: () => call("schedules.remove", { id: one.id }),
    onSuccess: () => toast({ text: t("schedules.removed", { title }), undo: () => void call("schedules.restore", { id: one.id }).then(again).catch(sayFailed) }),
    onError: sayFailed,
    onSettled: again,
  });
  const session = one.last?.session;
  const running = run.isPending || one.last?.state === "started";
  const state = running ? "started" : one.last?.state;
  const stopped = one.paused ? t("schedules.paused") : one.nextAt ? undefined : t("schedules.over");
  return (
    <>
      <GroupRow icon={CalendarClock} title={title}
        note={<>
          <div>{[recurrenceWords(one.draft.schedule, t, i18n.language), one.extension && t("schedules.by", { extension: one.extension }), stopped].filter(Boolean).join(" · ")}</div>
          {!stopped && one.nextAt && <div title={format.ago(one.nextAt)}>{t("schedules.next", { when: momentText(i18n.language, one.nextAt) })}</div>}
        </>}>
        {state && <Chip tone={tones[state]}>{t(`schedules.state.${state}`)}</Chip>}
        <IconButton small icon={Play} label={t("schedules.runNow", { title })} disabled={running} onClick={() => run.mutate()} />
        <Menu trigger={<IconButton small icon={MoreHorizontal} label={t("schedules.more", { title })} />}
          items={[
            { label: t("schedules.edit"), icon: Pencil, onSelect: onEdit },
            { label: t("schedules.history"), icon: History, onSelect: () => setHistory(true) },
            { label: t("schedules.lastChat"), icon: MessageSquare, disabled: !session, onSelect: () => session && openChat(session) },
            "line",
            { label: t("schedules.remove"), icon: Trash2, danger: true, onSelect: () => remove.mutate() },
          ]} />
        <Switch on={!one.paused && one.nextAt !== undefined && one.nextAt !== 0} disabled={!one.nextAt} label={t("schedules.switch", { title })} onChange={(on) => pause.mutate(!on)} />
      </GroupRow>
      {history && <HistoryDialog one={one} onClose={() => setHistory(false)} />}
    </>
  );
}

function EditDialog({ one, onClose }: { one?: Schedule; onClose(): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const client = useClient();
  const [fields, setFields] = useState(() => fieldsOf(one?.draft));
  const draft = draftOf(fields);
  const save = useMutation({
    mutationFn: () => call("schedules.save", { ...(one ? { id: one.id } : {}), draft: draft! }),
    onSuccess(saved) {
      toast({ tone: "good", text: t("schedules.saved", { title: saved.draft.title }) });
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.schedules, exact: true }),
  });
  return (
    <Dialog open onClose={onClose} stays title={t(one ? "schedules.editTitle" : "schedules.newTitle")}
      foot={<><Grow /><Button onClick={onClose}>{common("cancel")}</Button><Button kind="main" busy={save.isPending} disabled={!draft} onClick={() => save.mutate()}>{t("schedules.save")}</Button></>}>
      <ScheduleFields fields={fields} onChange={setFields} />
      {save.error && !save.isPending && <ProblemView problem={problemOf(save.error)} />}
    </Dialog>
  );
}

function HistoryDialog({ one, onClose }: { one: Schedule; onClose(): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const runs = useQuery({ queryKey: keys.history(one.id), queryFn: () => call("schedules.history", { id: one.id }), gcTime: 0 });
  return (
    <Dialog open onClose={onClose} title={t("schedules.historyOf", { title: one.draft.title })} foot={<><Grow /><Button onClick={onClose}>{common("close")}</Button></>}>
      {runs.error ? <ProblemView problem={problemOf(runs.error)} /> : !runs.data ? <Skeleton lines={4} label={common("loading")} /> : runs.data.length === 0 ? (
        <EmptyState icon={History} title={t("schedules.historyNone")}>{t("schedules.historyNoneNote")}</EmptyState>
      ) : (
        <Group>{runs.data.map((run) => <RunRow key={run.id} run={run} onOpen={() => { if (run.session) openChat(run.session); onClose(); }} />)}</Group>
      )}
    </Dialog>
  );
}

function RunRow({ run, onOpen }: { run: ScheduleRun; onOpen(): void }) {
  const { t, i18n } = useTranslation("settings");
  const format = useFormats();
  const parts = [t(`schedules.cause.${run.cause}`), run.endedAt && run.state !== "missed" ? format.duration(run.endedAt - run.startedAt) : "", run.missed ? t("schedules.missed", { count: run.missed }) : ""];
  return (
    <div>
      <GroupRow title={momentText(i18n.language, run.dueAt || run.startedAt)} note={parts.filter(Boolean).join(" · ")}>
        <Chip tone={tones[run.state]}>{t(`schedules.state.${run.state}`)}</Chip>
        {run.session && <Button small onClick={onOpen}>{t("schedules.openChat")}</Button>}
      </GroupRow>
      {run.problem && <div className={css.underRow}><ProblemView problem={run.problem} tone={run.state === "missed" ? "warn" : "bad"} /></div>}
    </div>
  );
}
