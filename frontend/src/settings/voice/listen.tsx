import { useMutation } from "@tanstack/react-query";
import { Check, FileAudio, Mic } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, problemOf, type Recording, type VoiceListenSettings, type VoiceStatus } from "../../host";
import { Button, Field, Group, GroupRow, Input, ProblemView, Section, Segmented, Switch, toast } from "../../kit";
import css from "../settings.module.css";
import { useSaveVoice } from "./page";
import { microphone, recordingIn, type Microphone } from "./sound";

/** What stands in the arguments for the recording's file. */
const fileMark = "{file}";

/** Whether the core could keep these settings as switched on. */
export const complete = (listen: VoiceListenSettings): boolean => (listen.engine === "endpoint" ? listen.endpoint.trim() !== "" : listen.engine === "program" && listen.program.trim() !== "" && listen.arguments.includes(fileMark));

export function Listening({ status }: { status: VoiceStatus }) {
  const { t } = useTranslation("settings");
  const kept = status.listen;
  const save = useSaveVoice();
  const [open, setOpen] = useState(kept.on);
  const [draft, setDraft] = useState<VoiceListenSettings>({ ...kept, engine: kept.engine || "endpoint", arguments: kept.arguments || fileMark });
  const set = (part: Partial<VoiceListenSettings>) => setDraft({ ...draft, ...part });
  const turn = (on: boolean) => {
    setOpen(on);
    if (on !== kept.on && (!on || complete(kept))) save.mutate({ listen: { ...kept, on } });
  };
  const changed = !kept.on || (Object.keys(draft) as (keyof VoiceListenSettings)[]).some((key) => key !== "on" && draft[key] !== kept[key]);
  const good = changed && complete(draft);
  const failed = save.error && !save.isPending ? problemOf(save.error) : undefined;
  return (
    <Section id="setting-voice-listen" title={t("voice.listen")}>
      <Group>
        <GroupRow title={t("voice.listenOn")} note={t("voice.listenOnNote")}><Switch on={open} label={t("voice.listenOn")} onChange={turn} /></GroupRow>
        {open && (
          <form className={css.box} onSubmit={(event) => {
            event.preventDefault();
            if (good && !save.isPending) save.mutate({ listen: { ...draft, on: true } }, { onSuccess: () => toast({ tone: "good", text: t("voice.saved") }) });
          }}>
            <div className={css.labelled}>
              <span>{t("voice.listener")}</span>
              <Segmented label={t("voice.listener")} value={draft.engine} onChange={(engine) => set({ engine })} choices={[{ value: "endpoint", label: t("voice.server") }, { value: "program", label: t("voice.program") }]} />
            </div>
            {draft.engine === "endpoint" ? (
              <div className={css.fields}>
                <Field label={t("voice.address")} below={t("voice.addressHint")}><Input mono value={draft.endpoint} placeholder="https://api.example.com/v1" onChange={(event) => set({ endpoint: event.target.value })} /></Field>
                <Field label={t("voice.model")}><Input mono value={draft.model} placeholder="whisper-1" onChange={(event) => set({ model: event.target.value })} /></Field>
              </div>
            ) : (
              <div className={css.fields}>
                <Field label={t("voice.programPath")} below={`${t("voice.programHint")} ${t("voice.programRisk")}`}><Input mono value={draft.program} placeholder="whisper-cli" onChange={(event) => set({ program: event.target.value })} /></Field>
                <Field label={t("voice.arguments")} below={t("voice.argumentsHint", { file: fileMark })}><Input mono value={draft.arguments} onChange={(event) => set({ arguments: event.target.value })} /></Field>
              </div>
            )}
            {failed && <ProblemView problem={failed} />}
            <div className={css.foot}>
              <span className={css.said} role="status">{kept.on ? "" : t("voice.notYet")}</span>
              <Button kind="main" type="submit" busy={save.isPending} disabled={!good}>{t("voice.save")}</Button>
            </div>
          </form>
        )}
        {open && kept.on && <TryListening />}
      </Group>
      {!open && failed && <ProblemView problem={failed} />}
    </Section>
  );
}

function TryListening() {
  const { t, i18n } = useTranslation("settings");
  const [open, setOpen] = useState<Microphone>();
  const [noMicrophone, setNoMicrophone] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const hear = useMutation({ mutationFn: async (recording: Promise<Recording>) => call("voice.transcribe", { ...(await recording), language: i18n.language }) });
  const current = useRef<Microphone>(undefined);
  current.current = open;
  useEffect(() => () => current.current?.cancel(), []);
  const record = async () => {
    hear.reset();
    try {
      setOpen(await microphone());
    } catch {
      setNoMicrophone(true);
    }
  };
  const done = () => {
    if (open) hear.mutate(open.done());
    setOpen(undefined);
  };
  return (
    <div>
      <GroupRow title={t("voice.try")} note={noMicrophone ? t("voice.noMicrophone") : t("voice.listenTry")}>
        {open ? <Button small kind="main" icon={Check} onClick={done}>{t("voice.done")}</Button> : <Button small icon={Mic} disabled={noMicrophone} busy={hear.isPending} onClick={() => void record()}>{t("voice.record")}</Button>}
        <Button small icon={FileAudio} disabled={open !== undefined} busy={hear.isPending} onClick={() => file.current?.click()}>{t("voice.chooseFile")}</Button>
        <input ref={file} type="file" accept="audio/*,.wav,.mp3,.m4a,.ogg,.webm,.flac" hidden aria-label={t("voice.chooseFile")}
          onChange={(event) => {
            const chosen = event.target.files?.[0];
            event.target.value = "";
            if (chosen) hear.mutate(recordingIn(chosen));
          }} />
      </GroupRow>
      <div className={css.underRow} role="status">
        {open ? <span className={css.live}>{t("voice.recording")}</span> : hear.isPending ? <span>{t("voice.hearing")}</span> : hear.data && (hear.data.text ? <p className={css.heard}>“{hear.data.text}”</p> : <span>{t("voice.heardNothing")}</span>)}
      </div>
      {hear.error && !hear.isPending && <div className={css.underRow}><ProblemView problem={problemOf(hear.error)} /></div>}
    </div>
  );
}
