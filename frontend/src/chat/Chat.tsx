/** One conversation: what was said and done, and where the next message is written. */
import { lazy, Suspense, useCallback, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { problemOf, type Mode, type Session, type Transcript as TranscriptOf } from "../host";
import { keys, useCall, useClient, useModels, useTranscript } from "../host/queries";
import { Button, ProblemView, Skeleton, VisuallyHidden } from "../kit";
import { useTabs, type Tab } from "../store/tabs";
import { permissionsAsked } from "./blocks";
import css from "./chat.module.css";
import { Composer } from "./Composer";
import { useComplain } from "./hooks";
import { keepView } from "./view";
import { DirectHead, Welcome } from "./Welcome";

/** What draws a conversation is half of the window's code: the first screen does not wait for it. */
const Transcript = lazy(() => import("./Transcript").then((module) => ({ default: module.Transcript })));

const PermissionDock = lazy(() => import("./PermissionPrompt").then((module) => ({ default: module.PermissionDock })));

export function Chat({ tab, active = true }: { tab: Tab; active?: boolean }) {
  return tab.session ? <Opened id={tab.session} tab={tab} active={active} /> : <NewChat tab={tab} active={active} />;
}

/** A chat without a message is no session yet: it becomes one when it has something to keep. */
function NewChat({ tab, active }: { tab: Tab; active: boolean }) {
  const queries = useClient();
  const complain = useComplain();
  const models = useModels().data;
  const change = useTabs((s) => s.change);
  const [mode, setMode] = useState<Mode>("guided");
  const [model, setModel] = useState("");
  const [text, setText] = useState(tab.draft ?? "");
  const create = useCall("sessions.create");
  const send = useCall("chat.send");
  const making = useRef<Promise<Session>>(undefined);
  const latest = useLatest(text);

  const session = useCallback(async (): Promise<string> => {
    making.current ??= create.mutateAsync({ mode, model: model || undefined });
    try {
      const made = await making.current;
      // Its events may come before it is shown: an empty transcript is there for them.
      if (!queries.getQueryData(keys.transcript(made.id))) queries.setQueryData<TranscriptOf>(keys.transcript(made.id), { session: made, entries: [] });
      return made.id;
    } catch (error) {
      making.current = undefined;
      complain(error);
      throw error;
    }
  }, [create, mode, model, queries, complain]);

  const start = async () => {
    const id = await session();
    await send.mutateAsync({ session: id, text });
    keepView(id, { draft: afterSent(latest.current, text) });
    change(tab.id, { session: id, draft: undefined });
  };
  const run = async () => {
    const id = await session();
    // The form that asked for it goes on as long as its call; then the chat is an ordinary one.
    setTimeout(() => change(tab.id, { session: id, draft: undefined }), 0);
    return id;
  };
  const write = (next: string) => {
    setText(next);
    change(tab.id, { draft: next || undefined });
  };
  const direct = models !== undefined && !models.model && !model;
  return (
    <Frame active={active}
      body={<div className={css.scroll}><div className={css.lane}>{models && <Welcome direct={direct} session={run} />}</div></div>}
      foot={<Composer text={text} onText={write} mode={mode} onMode={setMode} model={model} onModel={setModel} running={false} sending={create.isPending || send.isPending} stopping={false} active={active}
        onSend={() => void start().catch((error: unknown) => send.isError && complain(error))} onStop={() => undefined} />} />
  );
}

/** A value as it is now, for what ends later than it began. */
function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** What is left of the composer's text when a message is on disk: what was typed while it was on its way. */
export const afterSent = (now: string, sent: string): string => (now.startsWith(sent) ? now.slice(sent.length).trimStart() : now);

function Opened({ id, tab, active }: { id: string; tab: Tab; active: boolean }) {
  const { t } = useTranslation("chat");
  const transcript = useTranscript(id);
  if (transcript.error && !transcript.data) {
    return (
      <Frame active={active}
        body={<div className={css.scroll}><div className={css.lane}><ProblemView problem={problemOf(transcript.error)}
          actions={<><Button small onClick={() => void transcript.refetch()}>{t("again")}</Button><Button small kind="quiet" onClick={() => useTabs.getState().close(tab.id)}>{t("closeChat")}</Button></>} /></div></div>} />
    );
  }
  if (!transcript.data) return <Frame active={active} body={<div className={css.scroll}><div className={css.lane}><Skeleton lines={6} label={t("loading")} /></div></div>} />;
  return <Session key={id} transcript={transcript.data} active={active} />;
}

function Session({ transcript, active }: { transcript: TranscriptOf; active: boolean }) {
  const { t } = useTranslation("chat");
  const { session } = transcript;
  const entries = transcript.entries ?? [];
  const id = session.id;
  const complain = useComplain();
  const models = useModels().data;
  const [text, setText] = useState(session.draft ?? "");
  const send = useCall("chat.send");
  const stop = useCall("chat.stop");
  const choose = useCall("sessions.choose");
  const latest = useLatest(text);
  const write = useCallback(
    (next: string) => {
      setText(next);
      keepView(id, { draft: next });
    },
    [id],
  );
  const direct = models !== undefined && !models.model && !session.model;
  const asked = permissionsAsked(entries);
  const spoken = entries.some((entry) => entry.kind === "agent");
  return (
    <Frame active={active}
      body={entries.length === 0 && !session.running ? (
        <div className={css.scroll}><div className={css.lane}>{models && <Welcome direct={direct} session={id} />}</div></div>
      ) : (
        <Suspense fallback={<div className={css.scroll}><div className={css.lane}><Skeleton lines={6} label={t("loading")} /></div></div>}>
          <Transcript session={session} entries={entries} head={direct && !spoken ? <DirectHead /> : <VisuallyHidden><h1>{session.title || t("transcript")}</h1></VisuallyHidden>} />
        </Suspense>
      )}
      dock={asked.length > 0 && <Suspense fallback={null}><PermissionDock waiting={asked} /></Suspense>}
      foot={<Composer text={text} onText={write} mode={session.mode} fixed={session.mode === "autonomous"} model={session.model ?? ""} running={session.running} waiting={session.waiting} sending={send.isPending} stopping={stop.isPending} active={active}
        onMode={(mode) => choose.mutate({ id, mode }, { onError: complain })}
        onModel={(model) => choose.mutate({ id, model }, { onError: complain })}
        onSend={() => send.mutate({ session: id, text }, { onSuccess: () => write(afterSent(latest.current, text)), onError: complain })}
        onStop={() => stop.mutate({ session: id }, { onError: complain })} />} />
  );
}

function Frame({ active, body, dock, foot }: { active: boolean; body: ReactNode; dock?: ReactNode; foot?: ReactNode }) {
  return (
    <div className={css.chat} data-active={active}>
      {body}
      {dock}
      {foot}
    </div>
  );
}
