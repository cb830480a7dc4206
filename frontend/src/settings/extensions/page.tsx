import { BookOpen, ChevronLeft, Copy, FileText, FolderOpen, MoreHorizontal, ScrollText, Trash2 } from "lucide-react";
import { useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call, type ExtensionView, type ToolView } from "../../host";
import { keys, useClient, useAbout } from "../../host/queries";
import { useFormats } from "../../i18n";
import { Button, Chip, ConfirmDialog, copyText, Group, GroupRow, IconButton, IconTile, Menu, ProblemView, Section, toast } from "../../kit";
import { useInstall } from "../../store/install";
import { portico, sayFailed, useChanges, useRestoreBuiltIn } from "../changes";
import { Permissions } from "../permissions";
import { refOf, keyOf } from "../ref";
import { RunDialog } from "../run-dialog";
import { ToolItem } from "../tools";
import css from "./extensions.module.css";
import { FilesDialog, LogDialog } from "./viewers";

/** Characters of a fingerprint at each end that tell two apart. */
const shownEnds = 8;

export function ExtensionPage({ view, onBack }: { view: ExtensionView; onBack(): void }) {
  const { t } = useTranslation("settings");
  const info = useAbout().data;
  const { enable } = useChanges();
  const restore = useRestoreBuiltIn();
  const [open, setOpen] = useState<"files" | "log" | "remove">();
  const [running, setRunning] = useState<ToolView>();
  const { extension } = view;
  const ref = refOf(view);
  const tools = view.toolViews ?? [];
  const close = () => setOpen(undefined);
  const openFolder = () => void call("extensions.openFolder", { ref }).catch(sayFailed);
  const chips = [t(`extensions.format.${extension.format}`), extension.publisher, extension.license, extension.version].filter((text) => text !== undefined && text !== "");

  return (
    <div className={css.lane}>
      <div>
        <Button kind="quiet" icon={ChevronLeft} className={css.back} onClick={onBack}>{t("extensions.back")}</Button>
        <header className={css.header}>
          <IconTile id={extension.id} name={extension.displayName} />
          <div className={css.words}>
            <h1>{extension.displayName}</h1>
            <p>{extension.description}</p>
            <div className={css.chips}>{chips.map((text) => <Chip key={text}>{text}</Chip>)}</div>
          </div>
          <div className={css.acts}>
            <Button onClick={() => enable({ ref, enabled: !view.enabled })}>{view.enabled ? t("extensions.disable") : t("extensions.enable")}</Button>
            <Menu trigger={<IconButton kind="plain" icon={MoreHorizontal} label={t("extensions.more")} />}
              items={[
                { label: t("extensions.readFiles"), icon: FileText, onSelect: () => setOpen("files") },
                { label: t("extensions.seeLog"), icon: ScrollText, onSelect: () => setOpen("log") },
                { label: t("extensions.openFolder"), icon: FolderOpen, onSelect: openFolder },
                "line",
                { label: t("extensions.remove"), icon: Trash2, danger: true, onSelect: () => setOpen("remove") },
              ]} />
          </div>
        </header>
      </div>
      {view.problem && <ProblemView problem={view.problem} tone={view.problem.code === "extension.drift" ? "warn" : "bad"} actions={<>
        {view.source === portico && <Button small busy={restore.isPending} onClick={() => restore.mutate()}>{t("extensions.installAgain")}</Button>}
        {fixable(view) && <Button small onClick={() => useInstall.getState().setReviewing(view.source)}>{t("extensions.installAgain")}</Button>}
        <Button small onClick={() => setOpen("files")}>{t("extensions.readFiles")}</Button>
      </>} />}
      <Section title={t("extensions.touch")}><Permissions tools={tools} containment={info?.containment} /></Section>
      <Section title={t("extensions.brings")}>
        <Group>
          {tools.map((tool) => <ToolItem key={tool.address} tool={tool} onRun={() => setRunning(tool)} />)}
          {extension.memories?.map((memory) => (
            <GroupRow key={memory.path} icon={BookOpen} title={`${nameOf(memory.path)}, ${t(memory.kind === "skill" ? "extensions.skill" : "extensions.knowledge")}`} note={<span className={css.mono}>{memory.path}</span>} />
          ))}
          {tools.length === 0 && !extension.memories?.length && <GroupRow title={t("extensions.noTools")} />}
        </Group>
      </Section>
      <Provenance view={view} onFiles={() => setOpen("files")} onLog={() => setOpen("log")} />
      {open === "files" && <FilesDialog view={view} onClose={close} />}
      {open === "log" && <LogDialog view={view} onClose={close} />}
      {open === "remove" && <RemoveDialog view={view} onClose={close} onRemoved={onBack} />}
      {running && <RunDialog tool={running} onClose={() => setRunning(undefined)} />}
    </div>
  );
}

/** Problems of the files on disk, which the files it came from mend; a linked folder is its own source. */
const fixable = (view: ExtensionView): boolean => view.origin === "installed" && /^extension\.(drift|gone|unreadable|other-name)$/.test(view.problem?.code ?? "") && /^([/\\]|[A-Za-z]:)/.test(view.source);

/** "memories/rank-jokes/SKILL.md" is "rank-jokes". */
export function nameOf(path: string): string {
  const steps = path.split("/").filter((step) => step !== "" && !/^skill\.md$/i.test(step));
  return (steps.at(-1) ?? path).replace(/\.md$/i, "");
}

function Provenance({ view, onFiles, onLog }: { view: ExtensionView; onFiles(): void; onLog(): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const format = useFormats();
  const { fingerprint = "" } = view;
  const copy = () => void copyText(fingerprint).then((done) => toast(done ? { tone: "good", text: common("copied") } : { tone: "bad", text: common("notCopied") }));
  return (
    <Section title={t("extensions.from")}>
      <Group>
        <GroupRow title={t("extensions.source")} note={<><span className={css.mono}>{view.source}{view.commit && ` @ ${view.commit}`}</span>{view.installedAt && <div title={format.date(view.installedAt)}>{t("extensions.installedAt", { when: format.ago(view.installedAt) })}</div>}</>}>
          {view.origin === "linked" && <Chip>{t("extensions.linked")}</Chip>}
          {view.projectDir && <Chip>{t("extensions.project", { folder: view.projectDir })}</Chip>}
        </GroupRow>
        <GroupRow title={t("extensions.filesAndSize", { files: t("extensions.files", { count: view.files }), size: format.bytes(view.bytes) })}
          note={fingerprint && <>{t("extensions.fingerprint")} <span className={css.mono} title={fingerprint}>{`${fingerprint.slice(0, shownEnds)}…${fingerprint.slice(-shownEnds)}`}</span></>}>
          {fingerprint && <IconButton small icon={Copy} label={t("extensions.copyFingerprint")} onClick={copy} />}
          <Button small onClick={onFiles}>{t("extensions.readFiles")}</Button>
        </GroupRow>
        <GroupRow title={t("extensions.log")} note={t("extensions.logEmptyNote")}>
          <Button small onClick={onLog}>{t("extensions.seeLog")}</Button>
        </GroupRow>
      </Group>
    </Section>
  );
}

/** Removing drops data that nothing brings back, so it is asked first. */
function RemoveDialog({ view, onClose, onRemoved }: { view: ExtensionView; onClose(): void; onRemoved(): void }) {
  const { t } = useTranslation("settings");
  const client = useClient();
  const name = view.extension.displayName;
  const remove = useMutation({
    mutationFn: () => call("extensions.remove", { ref: refOf(view) }),
    onSuccess() {
      client.setQueryData<ExtensionView[]>(keys.extensions, (all) => all?.filter((other) => keyOf(refOf(other)) !== keyOf(refOf(view))));
      toast({ tone: "good", text: t("extensions.removed", { name }) });
      onClose();
      onRemoved();
    },
    onError: sayFailed,
  });
  return <ConfirmDialog open onClose={onClose} title={t("extensions.removeTitle", { name })} confirm={t("extensions.removeConfirm")} busy={remove.isPending} onConfirm={() => remove.mutate()}>{t("extensions.removeNote")}</ConfirmDialog>;
}
