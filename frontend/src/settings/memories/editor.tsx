import { useMutation, useQuery } from "@tanstack/react-query";
import { ChevronLeft, FileQuestion, FileText, FolderOpen, MoreHorizontal, Trash2, TriangleAlert } from "lucide-react";
import { lazy, Suspense, useEffect, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { call, problemOf, type MemoryItem, type MemoryText } from "../../host";
import { keys, useClient, useMemory } from "../../host/queries";
import { useFormats } from "../../i18n";
import { Button, Chip, Dialog, EmptyState, Group, GroupRow, IconButton, Menu, ProblemView, Section, Segmented, Skeleton, toast, VisuallyHidden } from "../../kit";
import { sayFailed } from "../changes";
import frame from "../extensions/extensions.module.css";
import { differs, endsLike, isNew, newId, plainEnds, standing, useDrafts, type Draft } from "./drafts";
import { kindOf } from "./list";
import css from "./memories.module.css";

// Who only looks for a title does not wait for what draws Markdown.
const Markdown = lazy(() => import("../../chat/Markdown").then((module) => ({ default: module.Markdown })));
const DiffView = lazy(() => import("../../chat/DiffView").then((module) => ({ default: module.DiffView })));

export interface MemoryEditorProps {
  id: string;
  /** As the list has it; none: a new one, or one that is gone. */
  item?: MemoryItem;
  onBack(): void;
  onChoose(id?: string): void;
}

/** One memory: its title, its text, and what became of the file meanwhile. */
export function MemoryEditor(props: MemoryEditorProps) {
  const { t } = useTranslation("settings");
  const { id, item, onBack } = props;
  const draft = useDrafts((s) => s.drafts[id]);
  const text = useMemory(item ? id : "");
  const back = <Button kind="quiet" icon={ChevronLeft} className={frame.back} onClick={onBack}>{t("memories.back")}</Button>;
  if (!item && !draft) return <div className={css.middle}>{back}<EmptyState icon={FileQuestion} title={t("memories.goneAlone")}>{t("memories.goneAloneNote")}</EmptyState></div>;
  if (item && !text.data && text.error && !draft) {
    return (
      <div className={css.editor}>
        {back}
        <header className={css.head}><h1>{item.title}</h1></header>
        <ProblemView problem={item.problem ?? problemOf(text.error)} actions={<><Button small busy={text.isFetching} onClick={() => void text.refetch()}>{t("vault.again")}</Button><Button small icon={FolderOpen} onClick={() => void call("memories.openFolder", {}).catch(sayFailed)}>{t("memories.openFolder")}</Button></>} />
      </div>
    );
  }
  if (item && !text.data && !draft) return <div className={css.editor}>{back}<Skeleton lines={8} label={item.title} /></div>;
  return <Editor {...props} back={back} disk={item ? text.data : undefined} loading={item !== undefined && text.data === undefined && !text.error} draft={draft} />;
}

function Editor({ id, item, disk, loading, draft, back, onChoose }: MemoryEditorProps & { disk?: MemoryText; loading: boolean; draft?: Draft; back: React.ReactNode }) {
  const { t } = useTranslation("settings");
  const client = useClient();
  const { put, drop } = useDrafts.getState();
  const [way, setWay] = useState<"write" | "read">(item?.readOnly ? "read" : "write");
  const readOnly = item?.readOnly ?? false;
  const title = draft?.title ?? disk?.title ?? "";
  const content = draft?.content ?? plainEnds(disk?.content ?? "");
  const kind = kindOf(draft?.kind ?? disk?.kind ?? "");
  const named = title || t("memories.untitled");
  const stands = draft && !loading ? standing(draft, disk?.content) : undefined;

  // The file says by now what was written here: there is nothing to save any more.
  useEffect(() => {
    if (stands === "same" && draft?.title === disk?.title) drop(id);
  }, [stands, draft?.title, disk?.title, id, drop]);

  const change = (part: Partial<Draft>) => {
    const next: Draft = { title, kind, content, from: draft ? draft.from : disk && { title: disk.title, content: disk.content }, ...part };
    if (!isNew(id) && !differs(next)) drop(id);
    else put(id, next);
  };

  const save = useMutation({
    mutationFn: (wanted: Draft) => {
      const there = stands !== "gone" && wanted.from;
      return call("memories.save", { title: wanted.title.trim(), kind: wanted.kind, content: endsLike(wanted.content, wanted.from?.content), ...(there ? { id, before: there.content } : {}) });
    },
    async onSuccess(saved, wanted) {
      // What was typed while it was being saved is a change of what was saved.
      const now = useDrafts.getState().drafts[id];
      const later = now && (now.content !== wanted.content || now.title !== wanted.title) ? { ...now, from: { title: saved.title, content: endsLike(wanted.content, wanted.from?.content) } } : undefined;
      await client.invalidateQueries({ queryKey: keys.memories });
      drop(id);
      if (later) put(saved.id, later);
      if (saved.id !== id) onChoose(saved.id);
      toast({ tone: "good", text: t("memories.saved") });
    },
    onError: () => client.invalidateQueries({ queryKey: keys.memories }),
  });
  const dirty = draft !== undefined && differs(draft);
  const savable = dirty && title.trim() !== "" && stands !== "changed" && !save.isPending;
  const trySave = () => savable && draft && save.mutate(draft);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    trySave();
  };

  const discard = () => {
    const was = draft;
    drop(id);
    if (isNew(id)) onChoose();
    if (was) toast({ text: t("memories.discarded"), undo: () => { put(id, was); onChoose(id); } });
  };
  const remove = useMutation({
    mutationFn: () => call("memories.remove", { id }),
    async onSuccess({ undo }) {
      drop(id);
      onChoose();
      await client.invalidateQueries({ queryKey: keys.memories, exact: true });
      toast({ text: t("memories.removed", { title: named }), undo: () => void call("memories.restore", { undo }).then((item) => onChoose(item.id)).catch(sayFailed) });
    },
    onError: sayFailed,
  });
  const copyOwn = () => {
    const copy = newId();
    put(copy, { title, kind, content });
    onChoose(copy);
  };
  const failed = save.error && !save.isPending && dirty ? problemOf(save.error) : undefined;

  return (
    <div className={css.editor} onKeyDown={onKeyDown}>
      {back}
      <header className={css.head}>
        {readOnly ? <h1>{title}</h1> : <VisuallyHidden><h1>{named}</h1></VisuallyHidden>}
        {!readOnly && <input className={css.title} aria-label={t("memories.title")} value={title} placeholder={t("memories.title")} autoFocus={isNew(id) && title === ""} autoComplete="off" spellCheck={false} onChange={(event) => change({ title: event.target.value })} />}
        <div className={css.acts}>
          <Segmented label={t("memories.way")} value={way} onChange={(next) => setWay(next)} choices={[{ value: "write", label: t(readOnly ? "memories.source" : "memories.write") }, { value: "read", label: t("memories.read") }] as const} />
          {readOnly ? <Button onClick={copyOwn}>{t("memories.copyOwn")}</Button> : item && (
            <Menu trigger={<IconButton kind="plain" icon={MoreHorizontal} label={t("memories.more", { title: named })} />}
              items={[{ label: t("memories.openFolder"), icon: FolderOpen, onSelect: () => void call("memories.openFolder", {}).catch(sayFailed) }, "line", { label: t("memories.remove"), icon: Trash2, danger: true, onSelect: () => remove.mutate() }]} />
          )}
        </div>
        <Facts item={item} kind={kind} />
      </header>
      {item?.problem && <ProblemView tone="warn" problem={item.problem} />}
      {stands === "changed" && disk && draft && (
        <Meanwhile title={named} disk={disk} draft={draft}
          onMine={() => put(id, { ...draft, from: { title: disk.title, content: disk.content } })}
          onDisk={() => {
            drop(id);
            toast({ text: t("memories.discarded"), undo: () => put(id, draft) });
          }} />
      )}
      {stands === "gone" && !isNew(id) && <Group><GroupRow icon={TriangleAlert} title={t("memories.gone", { title: named })} note={t("memories.goneNote")} /></Group>}
      {failed && failed.code !== "memory.changed" && <ProblemView problem={failed} />}
      <div className={css.paper}>
        {way === "read" ? (
          <div className={css.reading} tabIndex={0} role="region" aria-label={t("memories.text", { title: named })}>
            <Suspense fallback={<Skeleton lines={6} label={named} />}><Markdown text={withoutFront(content)} /></Suspense>
          </div>
        ) : (
          <textarea className={css.writing} aria-label={t("memories.text", { title: named })} value={content} readOnly={readOnly} placeholder={t("memories.placeholder")} spellCheck={!readOnly} onChange={(event) => change({ content: event.target.value })} />
        )}
      </div>
      {disk?.files && disk.files.length > 0 && <Bundled id={id} files={disk.files} />}
      {readOnly ? (
        <p className={css.status}>{t("memories.readOnly", { extension: item?.owner ?? "" })}</p>
      ) : (
        <footer className={css.foot}>
          <span className={css.status} role="status">{t(dirty || isNew(id) ? "memories.dirty" : "memories.clean")}</span>
          {(dirty || isNew(id)) && <Button kind="quiet" onClick={discard}>{t("memories.discard")}</Button>}
          <Button kind="main" busy={save.isPending} disabled={!savable && !save.isPending} aria-keyshortcuts="Control+S" onClick={trySave}>{t("memories.save")}</Button>
        </footer>
      )}
    </div>
  );
}

function Facts({ item, kind }: { item?: MemoryItem; kind: "knowledge" | "skill" }) {
  const { t } = useTranslation("settings");
  const format = useFormats();
  return (
    <div className={css.facts}>
      <Chip>{t(`memories.${kind}`)}</Chip>
      {item?.owner && <Chip>{t("memories.of", { extension: item.owner })}</Chip>}
      <span>{item ? [format.bytes(item.bytes), item.updatedAtMs > 0 && t("memories.changedAt", { when: format.ago(item.updatedAtMs) })].filter(Boolean).join(" · ") : t(`memories.${kind}Note`)}</span>
    </div>
  );
}

/** The file became another while a change of it was not saved: both are shown, and neither goes before the person says so. */
function Meanwhile({ title, disk, draft, onMine, onDisk }: { title: string; disk: MemoryText; draft: Draft; onMine(): void; onDisk(): void }) {
  const { t } = useTranslation("settings");
  const [shown, setShown] = useState(false);
  return (
    <div className={css.meanwhile} role="alert">
      <TriangleAlert aria-hidden />
      <div>
        <p><b>{t("memories.diskTitle", { title })}</b></p>
        <p>{t("memories.diskNote")}</p>
        <div className={css.choose}>
          <Button small onClick={onMine}>{t("memories.keepMine")}</Button>
          <Button small onClick={onDisk}>{t("memories.takeDisk")}</Button>
          <Button small kind="quiet" aria-expanded={shown} onClick={() => setShown(!shown)}>{t(shown ? "memories.hideDiff" : "memories.seeDiff")}</Button>
        </div>
        {shown && <Suspense fallback={<Skeleton lines={4} label={t("memories.diff")} />}><DiffView title={t("memories.diff")} before={plainEnds(disk.content)} after={plainEnds(draft.content)} /></Suspense>}
      </div>
    </div>
  );
}

/** The head of a skill is for machines. */
export const withoutFront = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n?/, "");

function Bundled({ id, files }: { id: string; files: NonNullable<MemoryText["files"]> }) {
  const { t } = useTranslation("settings");
  const format = useFormats();
  const [open, setOpen] = useState<string>();
  return (
    <Section title={t("memories.files")}>
      <Group>
        {files.map((file) => (
          <GroupRow key={file.name} icon={FileText} title={<span className={css.mono}>{file.name}</span>} note={format.bytes(file.bytes)}><Button small aria-label={`${t("memories.showFile")}: ${file.name}`} onClick={() => setOpen(file.name)}>{t("memories.showFile")}</Button></GroupRow>
        ))}
      </Group>
      {open !== undefined && <FileDialog id={id} name={open} onClose={() => setOpen(undefined)} />}
    </Section>
  );
}

function FileDialog({ id, name, onClose }: { id: string; name: string; onClose(): void }) {
  const file = useQuery({ queryKey: [...keys.memory(id), "file", name], queryFn: () => call("memories.file", { id, name }), gcTime: 0 });
  return (
    <Dialog open onClose={onClose} size="large" tall title={name}>
      {file.error ? <ProblemView problem={problemOf(file.error)} /> : file.data ? <div className={frame.log} tabIndex={0}><pre>{file.data.content}</pre></div> : <Skeleton lines={6} label={name} />}
    </Dialog>
  );
}
