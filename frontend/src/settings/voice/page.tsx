import { useMutation } from "@tanstack/react-query";
import { AudioLines, Download, Play, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, listen, problemOf, type VoiceFound, type VoiceSettings, type VoiceSpeakSettings, type VoiceStatus } from "../../host";
import { keys, useClient, useVoice } from "../../host/queries";
import { useFormats } from "../../i18n";
import { Button, Chip, Field, Group, GroupRow, Input, ProblemView, ProgressBar, Section, Select, Switch, toast } from "../../kit";
import { sayFailed } from "../changes";
import { Loaded } from "../loaded";
import css from "../settings.module.css";
import { Listening } from "./listen";
import { play, type Playing } from "./sound";

/** What the page calls the choice that the core writes as an empty text: a list has no empty value. */
const none = "-";
const rates = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
/** The core's names for a server and for the voice that is fetched. */
const server = "endpoint";
const fetchedEngine = "espeak-ng-js";

/** Both ways of the voice, off unless they are switched on. */
export function VoicePage() {
  const { t } = useTranslation("settings");
  return (
    <div className={css.lane}>
      <header><h1>{t("page.voice")}</h1><p>{t("voice.intro")}</p></header>
      <Loaded query={useVoice()} lines={6}>
        {(status) => (
          <>
            <Speaking status={status} />
            <Here found={status.found ?? []} />
            <Listening key={JSON.stringify(status.listen)} status={status} />
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Keeps one part of the settings; the other stays as it is in the core by now. */
export function useSaveVoice(said?: string) {
  const client = useClient();
  return useMutation({
    mutationFn: (change: Partial<VoiceSettings>) => {
      const now = client.getQueryData<VoiceStatus>(keys.voice);
      return call("voice.save", { speak: change.speak ?? now!.speak, listen: change.listen ?? now!.listen });
    },
    onSuccess(status) {
      client.setQueryData(keys.voice, status);
      if (said) toast({ tone: "good", text: said });
    },
  });
}

/** The voices of what speaks; of "automatic" those of the first that is there. */
export function voicesOf(found: readonly VoiceFound[], engine: string): NonNullable<VoiceFound["voices"]> {
  const one = engine === "" ? found.find((other) => other.ready) : found.find((other) => other.engine === engine && other.ready);
  return one?.voices ?? [];
}

function Speaking({ status }: { status: VoiceStatus }) {
  const { t } = useTranslation("settings");
  const format = useFormats();
  const save = useSaveVoice();
  const { speak } = status;
  const found = status.found ?? [];
  // A server is chosen before it has an address, which the core can't keep.
  const [engine, setEngine] = useState(speak.engine);
  useEffect(() => setEngine(speak.engine), [speak.engine]);
  const change = (part: Partial<VoiceSpeakSettings>) => save.mutate({ speak: { ...speak, ...part } });
  const choose = (next: string) => {
    const wanted = next === none ? "" : next;
    setEngine(wanted);
    if (wanted !== server || speak.endpoint !== "") change({ engine: wanted, voice: "" });
  };
  const turn = (on: boolean) => change(on && speak.engine === server && speak.endpoint === "" ? { on, engine: "" } : { on });
  const voices = voicesOf(found, engine);
  const failed = save.error && !save.isPending ? problemOf(save.error) : undefined;
  return (
    <Section id="setting-voice-speak" title={t("voice.speak")}>
      <Group>
        <GroupRow title={t("voice.speakOn")} note={t("voice.speakOnNote")}><Switch on={speak.on} label={t("voice.speakOn")} onChange={turn} /></GroupRow>
        {speak.on && (
          <GroupRow title={t("voice.engine")} note={t("voice.engineNote")}>
            <Select label={t("voice.engine")} value={engine || none} onChange={choose}
              choices={[{ value: none, label: t("voice.automatic") }, ...found.filter((one) => one.ready || one.engine === engine).map((one) => ({ value: one.engine, label: one.name })), { value: server, label: t("voice.endpoint") }]} />
          </GroupRow>
        )}
        {speak.on && engine === server && <ServerForm speak={speak} onSave={(part) => change({ ...part, engine: server })} busy={save.isPending} />}
        {speak.on && engine !== server && voices.length > 0 && (
          <GroupRow title={t("voice.voice")}>
            <Select label={t("voice.voice")} value={speak.voice || none} onChange={(voice) => change({ voice: voice === none ? "" : voice })}
              choices={[{ value: none, label: t("voice.ownChoice") }, ...withOwn(voices, speak.voice).map((one) => ({ value: one.id, label: one.language && one.language !== one.name ? `${one.name} · ${one.language}` : one.name }))]} />
          </GroupRow>
        )}
        {speak.on && (
          <GroupRow title={t("voice.rate")} note={t("voice.rateNote")}>
            <Select label={t("voice.rate")} value={String(speak.rate)} onChange={(rate) => change({ rate: Number(rate) })} choices={[...new Set([...rates, speak.rate])].sort((a, b) => a - b).map((rate) => ({ value: String(rate), label: `${format.number(rate)} ×` }))} />
          </GroupRow>
        )}
        {speak.on && <TrySpeaking />}
      </Group>
      {failed && <ProblemView problem={failed} />}
    </Section>
  );
}

const withOwn = (voices: NonNullable<VoiceFound["voices"]>, own: string) => (own === "" || voices.some((one) => one.id === own) ? voices : [...voices, { id: own, name: own, language: "" }]);

function ServerForm({ speak, onSave, busy }: { speak: VoiceSpeakSettings; onSave(part: Pick<VoiceSpeakSettings, "endpoint" | "model" | "voice">): void; busy: boolean }) {
  const { t } = useTranslation("settings");
  const [endpoint, setEndpoint] = useState(speak.endpoint);
  const [model, setModel] = useState(speak.model);
  const [voice, setVoice] = useState(speak.engine === server ? speak.voice : "");
  const changed = speak.engine !== server || endpoint.trim() !== speak.endpoint || model.trim() !== speak.model || voice.trim() !== speak.voice;
  const good = endpoint.trim() !== "" && changed;
  return (
    <form className={css.box} onSubmit={(event) => {
      event.preventDefault();
      if (good && !busy) onSave({ endpoint: endpoint.trim(), model: model.trim(), voice: voice.trim() });
    }}>
      <Field label={t("voice.address")} below={t("voice.addressHint")}><Input mono value={endpoint} placeholder="https://api.example.com/v1" onChange={(event) => setEndpoint(event.target.value)} /></Field>
      <div className={css.halves}>
        <Field label={t("voice.model")}><Input mono value={model} placeholder="tts-1" onChange={(event) => setModel(event.target.value)} /></Field>
        <Field label={t("voice.voiceName")} below={t("voice.voiceNameHint")}><Input mono value={voice} placeholder="alloy" onChange={(event) => setVoice(event.target.value)} /></Field>
      </div>
      <div className={css.foot}><span /><Button kind="main" type="submit" busy={busy} disabled={!good}>{t("voice.save")}</Button></div>
    </form>
  );
}

function TrySpeaking() {
  const { t } = useTranslation("settings");
  const format = useFormats();
  const [text, setText] = useState(() => t("voice.sample"));
  const [playing, setPlaying] = useState<Playing>();
  const [played, setPlayed] = useState<number>();
  const gone = useRef(false);
  const speak = useMutation({
    mutationFn: async () => {
      const sound = await call("voice.speak", { text });
      try {
        return await play(sound);
      } catch {
        throw new Error(t("voice.noSound"));
      }
    },
    onMutate: () => setPlayed(undefined),
    onSuccess(now) {
      if (gone.current) return now.stop();
      setPlaying(now);
      void now.ended.then(() => {
        setPlaying(undefined);
        setPlayed(now.seconds);
      });
    },
  });
  // Who leaves the page does not want to go on hearing it.
  const current = useRef<Playing>(undefined);
  current.current = playing;
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
      current.current?.stop();
    };
  }, []);
  const says = speak.isPending ? t("voice.preparing") : playing ? t("voice.playing") : played !== undefined ? t("voice.played", { seconds: format.number(Math.round(played * 10) / 10) }) : "";
  return (
    <form className={css.box} onSubmit={(event) => {
      event.preventDefault();
      if (text.trim() !== "" && !speak.isPending && !playing) speak.mutate();
    }}>
      <Field label={t("voice.try")}>
        <div className={css.secret}>
          <Input aria-label={t("voice.tryText")} value={text} onChange={(event) => setText(event.target.value)} />
          {playing ? <Button icon={Square} onClick={() => playing.stop()}>{t("voice.stop")}</Button> : <Button icon={Play} type="submit" busy={speak.isPending} disabled={text.trim() === ""}>{t("voice.play")}</Button>}
        </div>
      </Field>
      <span className={css.said} role="status">{says}</span>
      {speak.error && !speak.isPending && <ProblemView problem={problemOf(speak.error)} />}
    </form>
  );
}

let jobs = 0;

/** What can speak here, and what can be fetched so that something can. */
function Here({ found }: { found: readonly VoiceFound[] }) {
  const { t } = useTranslation("settings");
  return (
    <Section id="setting-voice-here" title={t("voice.here")}>
      <Group>
        {found.every((one) => !one.ready) && <GroupRow icon={AudioLines} title={t("voice.none")} note={t("voice.noneNote")} />}
        {found.map((one) => <Engine key={one.engine} one={one} />)}
      </Group>
    </Section>
  );
}

function Engine({ one }: { one: VoiceFound }) {
  const { t } = useTranslation("settings");
  const format = useFormats();
  const client = useClient();
  const [job, setJob] = useState<string>();
  const [fraction, setFraction] = useState<number | null>(null);
  const put = (status: VoiceStatus) => client.setQueryData(keys.voice, status);
  const fetch = useMutation({
    mutationFn: async () => {
      const name = `voice-${Date.now().toString(36)}-${++jobs}`;
      setJob(name);
      setFraction(null);
      const stop = listen((events) => {
        for (const event of events) if (event.topic === "install" && event.payload.job === name) setFraction(event.payload.fraction);
      });
      try {
        return await call("voice.fetch", { job: name });
      } finally {
        stop();
        setJob(undefined);
      }
    },
    onSuccess(status) {
      put(status);
      toast({ tone: "good", text: t("voice.fetched") });
    },
  });
  const cancelled = useRef(false);
  const remove = useMutation({
    mutationFn: () => call("voice.removeFetched", {}),
    onSuccess(status) {
      put(status);
      toast(t("voice.removed"));
    },
    onError: sayFailed,
  });
  const cancel = () => {
    cancelled.current = true;
    if (job) void call("extensions.cancelInstall", { job }).catch(() => undefined);
  };
  const begin = () => {
    cancelled.current = false;
    fetch.mutate(undefined, { onError: () => cancelled.current && toast(t("voice.cancelled")) });
  };
  const failed = fetch.error && !fetch.isPending && !cancelled.current ? problemOf(fetch.error) : undefined;
  const fetched = one.engine === fetchedEngine;
  const voices = t("voice.voices", { count: one.voices?.length ?? 0 });
  const note = !one.ready ? t("voice.fetchNote", { size: format.bytes(one.bytes), license: one.license }) : fetched ? `${voices} · ${t("voice.fetchedNote")}` : voices;
  return (
    <div>
      <GroupRow icon={one.ready ? AudioLines : Download} title={one.name} note={note}>
        {one.ready && <Chip tone="good">{t("voice.ready")}</Chip>}
        {one.ready && fetched && <Button small busy={remove.isPending} onClick={() => remove.mutate()}>{t("voice.removeFetched")}</Button>}
        {!one.ready && !job && <Button small onClick={begin}>{t("voice.fetch")}</Button>}
        {job && <Button small onClick={cancel}>{t("voice.cancel")}</Button>}
      </GroupRow>
      {job && <div className={css.underRow}><ProgressBar fraction={fraction} label={t("voice.fetching")} /><span role="status">{t("voice.fetching")}{fraction !== null && ` · ${format.percent(fraction)}`}</span></div>}
      {failed && <div className={css.underRow}><ProblemView problem={failed} /></div>}
    </div>
  );
}
