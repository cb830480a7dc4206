import { FolderOpen } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../host";
import { useAbout } from "../../host/queries";
import { Button, Dialog, Field, Grow, Input } from "../../kit";
import { useInstall } from "../../store/install";
import { sayFailed } from "../changes";

/** A folder by its path: for the keyboard, for a page in a browser, and for what a dialog does not show. */
export function AddDialog({ onClose }: { onClose(): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const native = useAbout().data?.native ?? false;
  const [path, setPath] = useState("");
  const look = () => {
    const folder = path.trim().replace(/^file:\/\//, "");
    if (folder === "") return;
    onClose();
    useInstall.getState().setReviewing(folder);
  };
  const choose = async () => {
    try {
      const chosen = await call("system.chooseFolder", { title: t("extensions.chooseFolder") });
      if (chosen.path) setPath(chosen.path);
    } catch (error) {
      sayFailed(error);
    }
  };
  return (
    <Dialog open onClose={onClose} size="small" title={t("extensions.folderTitle")} description={t("extensions.folderNote")}
      foot={<>
        {native && <Button kind="quiet" icon={FolderOpen} onClick={() => void choose()}>{t("extensions.fromFolder")}</Button>}
        <Grow />
        <Button onClick={onClose}>{common("cancel")}</Button>
        <Button kind="main" disabled={path.trim() === ""} onClick={look}>{t("extensions.look")}</Button>
      </>}>
      <Field label={t("extensions.folder")} below={t("extensions.folderHint")}>
        <Input mono value={path} onChange={(event) => setPath(event.target.value)} onKeyDown={(event) => event.key === "Enter" && look()} />
      </Field>
    </Dialog>
  );
}
