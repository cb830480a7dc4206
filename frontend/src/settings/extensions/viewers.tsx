import { useQuery } from "@tanstack/react-query";
import { FolderOpen, RefreshCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type ExtensionView, type File } from "../../host";
import { keys } from "../../host/queries";
import { useFormats } from "../../i18n";
import { Button, Dialog, EmptyState, Grow } from "../../kit";
import { sayFailed } from "../changes";
import { Loaded } from "../loaded";
import { keyOf, refOf } from "../ref";
import css from "./extensions.module.css";

/** The files as they are, so that whoever wants to can read what would run. */
export function FilesDialog({ view, onClose }: { view: ExtensionView; onClose(): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const ref = refOf(view);
  const key = keyOf(ref);
  const files = useQuery({ queryKey: keys.files(key), queryFn: () => call("extensions.files", { ref }) });
  const [chosen, setChosen] = useState<string>();
  return (
    <Dialog open onClose={onClose} size="large" tall title={t("extensions.filesOf", { name: view.extension.displayName })}
      foot={<><Button kind="quiet" icon={FolderOpen} onClick={() => void call("extensions.openFolder", { ref }).catch(sayFailed)}>{t("extensions.openFolder")}</Button><Grow /><Button onClick={onClose}>{common("close")}</Button></>}>
      <Loaded query={files} lines={6}>{(all) => <Viewer view={view} files={all} chosen={chosen ?? firstOf(all)} onChoose={setChosen} />}</Loaded>
    </Dialog>
  );
}

/** The manifest says most, so it is open first. */
const firstOf = (files: readonly File[]): string | undefined => (files.find((file) => /(^|\/)(loca|plugin|package)\.json$/.test(file.path)) ?? files[0])?.path;

function Viewer({ view, files, chosen, onChoose }: { view: ExtensionView; files: readonly File[]; chosen?: string; onChoose(path: string): void }) {
  const { t } = useTranslation("settings");
  const format = useFormats();
  const ref = refOf(view);
  const text = useQuery({ queryKey: [...keys.files(keyOf(ref)), chosen], queryFn: () => call("extensions.readFile", { ref, path: chosen! }), enabled: chosen !== undefined });
  return (
    <div className={css.viewer}>
      <ul className={css.names} aria-label={t("extensions.filesOf", { name: view.extension.displayName })}>
        {files.map((file) => (
          <li key={file.path}>
            <button className={css.file} aria-current={file.path === chosen || undefined} title={file.path} onClick={() => onChoose(file.path)}>
              <span><bdi>{file.path}</bdi></span>
              <span>{format.bytes(file.bytes)}</span>
            </button>
          </li>
        ))}
      </ul>
      <div className={css.text} tabIndex={0} role="region" aria-label={chosen ?? t("extensions.file")}>
        {chosen === undefined ? (
          <p>{t("extensions.chooseFile")}</p>
        ) : (
          <Loaded query={text} lines={6}>{(file) => (file.binary ? <p>{t("extensions.binary")}</p> : <><pre>{file.text}</pre>{file.truncated && <p>{t("extensions.truncated")}</p>}</>)}</Loaded>
        )}
      </div>
    </div>
  );
}

/** What the extension's tools logged, the newest at the end and in view. */
export function LogDialog({ view, onClose }: { view: ExtensionView; onClose(): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const ref = refOf(view);
  const log = useQuery({ queryKey: ["extensions", "log", keyOf(ref)], queryFn: () => call("extensions.log", { ref }), staleTime: 0, gcTime: 0 });
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [log.data]);
  return (
    <Dialog open onClose={onClose} size="large" tall title={t("extensions.logOf", { name: view.extension.displayName })} description={log.data?.truncated ? t("extensions.logTruncated") : undefined}
      foot={<><Button kind="quiet" icon={RefreshCw} busy={log.isFetching} onClick={() => void log.refetch()}>{t("extensions.reload")}</Button><Grow /><Button onClick={onClose}>{common("close")}</Button></>}>
      <Loaded query={log} lines={6}>
        {({ text }) => (text === "" ? <EmptyState title={t("extensions.logEmpty")}>{t("extensions.logEmptyNote")}</EmptyState> : <div className={css.log} ref={end} tabIndex={0} role="log"><pre>{text}</pre></div>)}
      </Loaded>
    </Dialog>
  );
}
