import { useMutation, useQuery } from "@tanstack/react-query";
import { Check, CircleSlash2, KeyRound, RefreshCw, Server } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, problemOf, type ChosenModel, type Found, type ModelChoice } from "../host";
import { keys, useClient, useFound, useModels, useVault } from "../host/queries";
import { problemText } from "../i18n";
import { Button, Chip, Combobox, ConfirmDialog, Field, Group, GroupRow, Input, ProblemView, Section, Skeleton, toast } from "../kit";
import { sayFailed } from "./changes";
import { Loaded } from "./loaded";
import { SecretInput } from "./secret";
import css from "./settings.module.css";

/** Which server and model, or none: direct mode is a choice like any other. */
export function ModelsPage({ onPage }: { onPage(page: string): void }) {
  const { t } = useTranslation("settings");
  return (
    <div className={css.lane}>
      <header><h1>{t("page.models")}</h1><p>{t("models.intro")}</p></header>
      <Loaded query={useModels()}>{(choice) => <Choices choice={choice} onPage={onPage} />}</Loaded>
    </div>
  );
}

function useChoose() {
  const { t } = useTranslation("settings");
  const client = useClient();
  return useMutation({
    mutationFn: (choice: ModelChoice) => call("models.save", choice),
    onSuccess(saved) {
      client.setQueryData(keys.models, saved);
      toast({ tone: "good", text: saved.baseURL ? t("models.chosen", { model: saved.model || saved.baseURL }) : t("models.chosenDirect") });
    },
  });
}

function Choices({ choice, onPage }: { choice: ChosenModel; onPage(page: string): void }) {
  const { t } = useTranslation("settings");
  const servers = useFound();
  const choose = useChoose();
  const inUse = <Chip tone="good" icon={Check}>{t("models.inUse")}</Chip>;
  const use = (server: Found) => choose.mutate({ baseURL: server.baseURL, model: server.models?.[0] ?? "" });
  return (
    <>
      <Group>
        <div id="setting-models-direct">
          <GroupRow icon={CircleSlash2} title={t("models.direct")} note={t("models.directNote")}>
            {choice.baseURL === "" ? inUse : <Button small aria-label={t("models.useNamed", { name: t("models.direct") })} onClick={() => choose.mutate({ baseURL: "", model: "" })}>{t("models.use")}</Button>}
          </GroupRow>
        </div>
      </Group>
      {choose.error && <ProblemView problem={problemOf(choose.error)} />}
      <Section id="setting-models-here" title={t("models.here")} aside={<Button kind="quiet" small icon={RefreshCw} busy={servers.isFetching} onClick={() => void servers.refetch()}>{t("models.lookAgain")}</Button>}>
        {servers.error ? (
          <ProblemView problem={problemOf(servers.error)} />
        ) : servers.data === undefined ? (
          <Skeleton lines={2} label={t("models.looking")} />
        ) : (
          <Group>
            {servers.data.map((server) => (
              <GroupRow key={server.baseURL} icon={Server} title={server.name} note={<><span className={css.mono}>{server.baseURL}</span>{` · ${t("models.count", { count: server.models?.length ?? 0 })}`}</>}>
                {server.baseURL === choice.baseURL ? inUse : <Button small kind="main" aria-label={t("models.useNamed", { name: server.name })} onClick={() => use(server)}>{t("models.use")}</Button>}
              </GroupRow>
            ))}
            {servers.data.length === 0 && <GroupRow icon={Server} title={t("models.noneHere")} note={t("models.noneHereNote")} />}
          </Group>
        )}
      </Section>
      <ServerForm key={`${choice.baseURL} ${choice.model}`} choice={choice} onVault={() => onPage("vault")} />
    </>
  );
}

/** The vault's name for a server's key, as far as an address that is being typed tells it. */
export const keyName = (address: string): string => `model:${address.trim().replace(/\/+$/, "")}`;

/** Any server: its address, its model, its key, and whether it answers. */
function ServerForm({ choice, onVault }: { choice: ChosenModel; onVault(): void }) {
  const { t } = useTranslation("settings");
  const client = useClient();
  const choose = useChoose();
  const vault = useVault().data;
  const [baseURL, setBaseURL] = useState(choice.baseURL);
  const [model, setModel] = useState(choice.model);
  const [key, setKey] = useState("");
  // Once the person is in the field, nothing is filled in for them: an answer that comes while they type would mix with it.
  const [touched, setTouched] = useState(false);
  const [asked, setAsked] = useState(choice.baseURL);
  const list = useQuery({ queryKey: keys.modelList(asked), queryFn: () => call("models.list", { baseURL: asked }), enabled: asked !== "", staleTime: 30_000 });
  const keep = useMutation({
    mutationFn: () => call("models.setKey", { baseURL: baseURL.trim(), key: key.trim() }),
    async onSuccess() {
      setKey("");
      await Promise.all([client.invalidateQueries({ queryKey: keys.vault }), client.invalidateQueries({ queryKey: keys.models, exact: true })]);
    },
  });
  const changed = baseURL.trim() !== choice.baseURL || model.trim() !== choice.model;
  const current = asked !== "" && asked === baseURL.trim();
  const offered = current ? (list.data ?? []) : [];
  const hasKey = (vault?.names ?? []).some((one) => one.name === keyName(baseURL)) || (choice.hasKey && baseURL.trim() === choice.baseURL);
  useEffect(() => {
    if (current && model === "" && !touched && offered.length === 1) setModel(offered[0]!);
  }, [current, offered.length]);

  /** A key that was typed is in the vault before anything is asked of its server. */
  const withKey = (then: () => void) => {
    if (key.trim() === "") return then();
    keep.mutate(undefined, { onSuccess: then });
  };
  const test = () =>
    withKey(() => {
      const wanted = baseURL.trim();
      if (wanted === asked) void list.refetch();
      else setAsked(wanted);
    });
  const savable = baseURL.trim() !== "" && (changed ? model.trim() !== "" : key.trim() !== "");
  const save = () =>
    withKey(() => {
      if (changed) return choose.mutate({ baseURL: baseURL.trim(), model: model.trim() });
      toast({ tone: "good", text: t("models.keySaved") });
      void list.refetch();
    });
  const answer = !list.data ? "" : list.data.length === 0 ? t("models.answersNone") : model !== "" && !list.data.includes(model.trim()) ? t("models.answersWithout", { model: model.trim() }) : t("models.answers", { count: list.data.length });
  const refused = keep.error && !keep.isPending ? problemOf(keep.error) : undefined;
  const badKey = refused?.code === "model.bad-key";

  return (
    <Section title={t("models.other")} note={t("models.otherNote")}>
      <Group>
        <form className={css.box} onSubmit={(event) => {
          event.preventDefault();
          if (savable && !keep.isPending) save();
        }}>
          <div className={css.fields}>
            <div id="setting-models-address">
              <Field label={t("models.address")} below={t("models.addressHint")}>
                <Input mono value={baseURL} placeholder="http://127.0.0.1:11434/v1" onChange={(event) => setBaseURL(event.target.value)} onBlur={() => baseURL.trim() !== "" && setAsked(baseURL.trim())} />
              </Field>
            </div>
            <div id="setting-models-model" onFocus={() => setTouched(true)}>
              <Field label={t("models.model")} below={t("models.modelHint")}><Combobox mono value={model} choices={offered} onChange={setModel} /></Field>
            </div>
          </div>
          <div id="setting-models-key">
            <KeyField key={String(hasKey)} has={hasKey} server={baseURL.trim()} value={key} onChange={setKey} fault={badKey ? problemText(refused).what : undefined} />
          </div>
          {current && list.error && <ProblemView problem={problemOf(list.error)} />}
          {refused && !badKey && <ProblemView problem={refused} actions={refused.code.startsWith("vault.") && <Button small onClick={onVault}>{t("models.toVault")}</Button>} />}
          {choose.error && <ProblemView problem={problemOf(choose.error)} />}
          <div className={css.foot}>
            <span className={css.answer} role="status">{current && !list.isFetching && answer && <span className={offered.length > 0 && (model === "" || offered.includes(model.trim())) ? css.good : undefined}>{answer}</span>}</span>
            <Button busy={list.isFetching || keep.isPending} disabled={baseURL.trim() === ""} onClick={test}>{t("models.test")}</Button>
            <Button kind="main" type="submit" busy={choose.isPending || keep.isPending} disabled={!savable}>{t("models.save")}</Button>
          </div>
        </form>
      </Group>
    </Section>
  );
}

/** A server's key. The window never has one that is kept: it knows only that there is one. */
function KeyField({ has, server, value, onChange, fault }: { has: boolean; server: string; value: string; onChange(value: string): void; fault?: string }) {
  const { t } = useTranslation("settings");
  const client = useClient();
  const [replacing, setReplacing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const remove = useMutation({
    mutationFn: () => call("models.clearKey", { baseURL: server }),
    onSuccess: () => toast({ tone: "good", text: t("models.keyRemoved") }),
    onError: sayFailed,
    async onSettled() {
      setRemoving(false);
      await Promise.all([client.invalidateQueries({ queryKey: keys.vault }), client.invalidateQueries({ queryKey: keys.models, exact: true })]);
    },
  });
  if (!has || replacing) {
    return (
      <Field label={t("models.key")} below={t("models.keyHint")} fault={fault}>
        <div className={css.secret}>
          <SecretInput value={value} onChange={onChange} />
          {has && <Button onClick={() => { onChange(""); setReplacing(false); }}>{t("models.keyKeep")}</Button>}
        </div>
      </Field>
    );
  }
  return (
    <div className={css.keyKept} role="group" aria-label={t("models.key")}>
      <KeyRound aria-hidden />
      <span><b>{t("models.key")}</b><small>{t("models.keyKept")}</small></span>
      <Button small onClick={() => setReplacing(true)}>{t("models.keyReplace")}</Button>
      <Button small onClick={() => setRemoving(true)}>{t("models.keyRemove")}</Button>
      <ConfirmDialog open={removing} onClose={() => setRemoving(false)} title={t("models.keyRemoveTitle", { name: server })} confirm={t("models.keyRemove")} busy={remove.isPending} onConfirm={() => remove.mutate()}>
        <p>{t("vault.removeNote.model", { name: "" })} {t("vault.removeLast")}</p>
      </ConfirmDialog>
    </div>
  );
}
