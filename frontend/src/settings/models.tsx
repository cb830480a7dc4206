import { useMutation, useQuery } from "@tanstack/react-query";
import { Check, CircleSlash2, RefreshCw, Server } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, problemOf, type Found, type ModelChoice } from "../host";
import { keys, useClient, useFound, useModels } from "../host/queries";
import { Button, Chip, Combobox, Field, Group, GroupRow, Input, ProblemView, Section, Skeleton, toast } from "../kit";
import { Loaded } from "./loaded";
import css from "./settings.module.css";

/** Which server and model, or none: direct mode is a choice like any other. */
export function ModelsPage() {
  const { t } = useTranslation("settings");
  return (
    <div className={css.lane}>
      <header><h1>{t("page.models")}</h1><p>{t("models.intro")}</p></header>
      <Loaded query={useModels()}>{(choice) => <Choices choice={choice} />}</Loaded>
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

function Choices({ choice }: { choice: ModelChoice }) {
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
      <ServerForm key={`${choice.baseURL} ${choice.model}`} choice={choice} />
    </>
  );
}

/** Any server: its address, its model, and whether it answers. */
function ServerForm({ choice }: { choice: ModelChoice }) {
  const { t } = useTranslation("settings");
  const choose = useChoose();
  const [baseURL, setBaseURL] = useState(choice.baseURL);
  const [model, setModel] = useState(choice.model);
  // Once the person is in the field, nothing is filled in for them: an answer that comes while they type would mix with it.
  const [touched, setTouched] = useState(false);
  const [asked, setAsked] = useState(choice.baseURL);
  const list = useQuery({ queryKey: keys.modelList(asked), queryFn: () => call("models.list", { baseURL: asked }), enabled: asked !== "", staleTime: 30_000 });
  const changed = baseURL.trim() !== choice.baseURL || model.trim() !== choice.model;
  const current = asked !== "" && asked === baseURL.trim();
  const offered = current ? (list.data ?? []) : [];
  useEffect(() => {
    if (current && model === "" && !touched && offered.length === 1) setModel(offered[0]!);
  }, [current, offered.length]);

  const test = () => {
    const wanted = baseURL.trim();
    if (wanted === asked) void list.refetch();
    else setAsked(wanted);
  };
  const answer = !list.data ? "" : list.data.length === 0 ? t("models.answersNone") : model !== "" && !list.data.includes(model.trim()) ? t("models.answersWithout", { model: model.trim() }) : t("models.answers", { count: list.data.length });

  return (
    <Section title={t("models.other")} note={t("models.otherNote")}>
      <Group>
        <form className={css.box} onSubmit={(event) => {
          event.preventDefault();
          if (changed && baseURL.trim() !== "" && model.trim() !== "") choose.mutate({ baseURL: baseURL.trim(), model: model.trim() });
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
          {current && list.error && <ProblemView problem={problemOf(list.error)} />}
          {choose.error && <ProblemView problem={problemOf(choose.error)} />}
          <div className={css.foot}>
            <span className={css.answer} role="status">{current && !list.isFetching && answer && <span className={offered.length > 0 && (model === "" || offered.includes(model.trim())) ? css.good : undefined}>{answer}</span>}</span>
            <Button busy={list.isFetching} disabled={baseURL.trim() === ""} onClick={test}>{t("models.test")}</Button>
            <Button kind="main" type="submit" busy={choose.isPending} disabled={!changed || baseURL.trim() === "" || model.trim() === ""}>{t("models.save")}</Button>
          </div>
        </form>
      </Group>
    </Section>
  );
}
