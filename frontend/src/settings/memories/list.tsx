import { BookOpen, FolderOpen, Plus, Route } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type MemoryItem } from "../../host";
import { keys, useClient, useMemories } from "../../host/queries";
import { Button, Chip, EmptyState, IconButton, Menu, ProblemView, SearchBox, Switch } from "../../kit";
import { sayFailed } from "../changes";
import frame from "../extensions/extensions.module.css";
import { Loaded } from "../loaded";
import { found } from "../pages";
import { isNew, newId, useDrafts, type Draft } from "./drafts";
import { MemoryEditor } from "./editor";
import css from "./memories.module.css";

export const memoryIcons = { knowledge: BookOpen, skill: Route } as const;
export const kindOf = (kind: string): keyof typeof memoryIcons => (kind === "skill" ? "skill" : "knowledge");

/** What is in the list: memories, and drafts of which there is no memory (yet, or any more). */
interface Listed {
  id: string;
  title: string;
  kind: string;
  item?: MemoryItem;
  draft?: Draft;
}

export function listed(items: readonly MemoryItem[], drafts: Readonly<Record<string, Draft>>): Listed[] {
  const known = new Set(items.map((item) => item.id));
  const loose = Object.entries(drafts).filter(([id]) => !known.has(id)).map(([id, draft]) => ({ id, title: draft.title, kind: draft.kind, draft }));
  return [...loose, ...items.map((item) => ({ id: item.id, title: item.title, kind: item.kind, item, draft: drafts[item.id] }))];
}

/** All memories at the left, the text of one at the right; in a narrow window one after the other. */
export function MemoriesPage({ chosen, onChoose }: { chosen?: string; onChoose(id?: string): void }) {
  return <Loaded query={useMemories()} lines={6}>{(list) => <Memories items={list.items ?? []} problem={list.problem && <ProblemView tone="warn" problem={list.problem} />} chosen={chosen} onChoose={onChoose} />}</Loaded>;
}

function Memories({ items, problem, chosen, onChoose }: { items: readonly MemoryItem[]; problem?: React.ReactNode; chosen?: string; onChoose(id?: string): void }) {
  const { t } = useTranslation("settings");
  const drafts = useDrafts((s) => s.drafts);
  const [search, setSearch] = useState("");
  const all = listed(items, drafts);
  const make = (kind: string) => {
    const id = newId();
    useDrafts.getState().put(id, { title: "", kind, content: kind === "skill" ? t("memories.skillStart") : "" });
    onChoose(id);
  };
  const add = [
    { label: t("memories.newKnowledge"), icon: memoryIcons.knowledge, onSelect: () => make("knowledge") },
    { label: t("memories.newSkill"), icon: memoryIcons.skill, onSelect: () => make("skill") },
  ];
  const openFolder = () => void call("memories.openFolder", {}).catch(sayFailed);
  if (all.length === 0) {
    return (
      <div className={frame.center}>
        {problem && <div className={css.above}>{problem}</div>}
        <EmptyState icon={memoryIcons.knowledge} title={t("memories.none")} actions={<><Button kind="main" onClick={() => make("knowledge")}>{t("memories.newKnowledge")}</Button><Button onClick={() => make("skill")}>{t("memories.newSkill")}</Button></>}>{t("memories.noneNote")}</EmptyState>
      </div>
    );
  }
  const shown = all.find((one) => one.id === chosen) ?? (chosen === undefined ? all[0]! : undefined);
  const matching = all.filter((one) => one.id === shown?.id || found(search, one.title, one.item?.summary, one.item?.owner, one.draft?.title));
  const owners = [...new Set(matching.map((one) => one.item?.owner ?? ""))].sort((a, b) => (a === "" ? -1 : b === "" ? 1 : a.localeCompare(b)));
  return (
    <div className={frame.two} data-chosen={chosen !== undefined || undefined}>
      <div className={frame.list}>
        <div className={frame.bar}>
          <h1>{t("memories.count", { count: items.length })}</h1>
          <IconButton icon={FolderOpen} label={t("memories.openFolder")} onClick={openFolder} />
          <Menu trigger={<Button icon={Plus}>{t("memories.new")}</Button>} items={add} />
        </div>
        <SearchBox value={search} onChange={setSearch} label={t("memories.search")} />
        {problem}
        {owners.map((owner) => (
          <section key={owner} aria-label={owner || t("memories.yours")}>
            {(owners.length > 1 || owner !== "") && <h2 className={css.owner}>{owner || t("memories.yours")}</h2>}
            <ul className={frame.cards}>
              {matching.filter((one) => (one.item?.owner ?? "") === owner).map((one) => <Card key={one.id} one={one} on={one === shown} onOpen={() => onChoose(one.id)} />)}
            </ul>
          </section>
        ))}
        {matching.length === 0 && <p className={css.none} role="status">{t("memories.noMatch")}</p>}
      </div>
      <div className={css.page}>
        <MemoryEditor key={shown?.id ?? chosen} id={shown?.id ?? chosen ?? ""} item={shown?.item} onBack={() => onChoose()} onChoose={onChoose} />
      </div>
    </div>
  );
}

function Card({ one, on, onOpen }: { one: Listed; on: boolean; onOpen(): void }) {
  const { t } = useTranslation("settings");
  const client = useClient();
  const { item, draft } = one;
  const title = draft?.title || one.title || t("memories.untitled");
  const Icon = memoryIcons[kindOf(one.kind)];
  const turn = async (enabled: boolean) => {
    try {
      await call("memories.setEnabled", { id: one.id, enabled });
      await client.invalidateQueries({ queryKey: keys.memories, exact: true });
    } catch (error) {
      sayFailed(error);
    }
  };
  return (
    <li className={css.card} data-on={on || undefined}>
      <button className={css.open} aria-label={title} aria-current={on || undefined} onClick={onOpen} />
      <Icon aria-hidden />
      <div>
        <div className={css.name}>
          <b>{title}</b>
          {draft ? <Chip tone="accent">{t("memories.unsaved")}</Chip> : item?.problem && <Chip tone="warn">{t("memories.problem")}</Chip>}
        </div>
        <p className={css.line}>{item?.summary || t(`memories.${kindOf(one.kind)}`)}</p>
      </div>
      {item && !isNew(one.id) && <Switch on={item.enabled} label={t("memories.switch", { title })} onChange={(enabled) => void turn(enabled)} />}
    </li>
  );
}
