import { Blocks, FolderOpen, Package, Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type ExtensionView } from "../../host";
import { useExtensions, useAbout } from "../../host/queries";
import { Button, Chip, cx, EmptyState, IconTile, Menu, Switch, type Tone } from "../../kit";
import { useInstall } from "../../store/install";
import { portico, sayFailed, useChanges, useRestoreBuiltIn } from "../changes";
import { Loaded } from "../loaded";
import { badgeOf, keyOf, refOf, type Badge } from "../ref";
import { AddDialog } from "./add";
import css from "./extensions.module.css";
import { ExtensionPage } from "./page";

const tones: Record<Badge, Tone> = { off: "plain", stopped: "bad", changed: "warn", gone: "bad" };

/** What is installed at the left, the page of one at the right; in a narrow window one after the other. */
export function ExtensionsPage({ chosen, onChoose }: { chosen?: string; onChoose(key?: string): void }) {
  const { t } = useTranslation("settings");
  return (
    <Loaded query={useExtensions()} lines={6}>
      {(all) => {
        if (all.length === 0) return <div className={css.center}><EmptyState icon={Blocks} title={t("extensions.none")} actions={<AddButton />}>{t("extensions.noneNote")}</EmptyState></div>;
        const shown = all.find((view) => keyOf(refOf(view)) === chosen) ?? all[0]!;
        const isChosen = keyOf(refOf(shown)) === chosen;
        return (
          <div className={css.two} data-chosen={isChosen || undefined}>
            <div className={css.list}>
              <div className={css.bar}><h1>{t("extensions.installed", { count: all.length })}</h1><AddButton small /></div>
              <ul className={css.cards}>
                {all.map((view) => <Card key={keyOf(refOf(view))} view={view} on={view === shown} onOpen={() => onChoose(keyOf(refOf(view)))} />)}
              </ul>
            </div>
            <div className={css.page}><ExtensionPage key={keyOf(refOf(shown))} view={shown} onBack={() => onChoose()} /></div>
          </div>
        );
      }}
    </Loaded>
  );
}

function Card({ view, on, onOpen }: { view: ExtensionView; on: boolean; onOpen(): void }) {
  const { t } = useTranslation("settings");
  const { enable } = useChanges();
  const { displayName, description, id } = view.extension;
  const badge = badgeOf(view);
  return (
    <li className={css.card} data-on={on || undefined}>
      <button className={cx(css.open)} aria-label={displayName} aria-current={on || undefined} onClick={onOpen} />
      <IconTile id={id} name={displayName} />
      <div>
        <div className={css.name}><b>{displayName}</b>{badge && <Chip tone={tones[badge]}>{t(`extensions.badge.${badge}`)}</Chip>}</div>
        <p className={css.line}>{description}</p>
      </div>
      <Switch on={view.enabled && !view.problem} disabled={view.problem !== undefined && !view.enabled} label={t("extensions.switch", { name: displayName })} onChange={(enabled) => enable({ ref: refOf(view), enabled })} />
    </li>
  );
}

/** The system's own dialog where there is one; a path can be typed everywhere. */
export function AddButton({ small }: { small?: boolean }) {
  const { t } = useTranslation("settings");
  const native = useAbout().data?.native ?? false;
  const all = useExtensions().data ?? [];
  const restore = useRestoreBuiltIn();
  const [typing, setTyping] = useState(false);
  const choose = async () => {
    try {
      const { path } = await call("system.chooseFolder", { title: t("extensions.chooseFolder") });
      if (path) useInstall.getState().setReviewing(path);
    } catch (error) {
      sayFailed(error);
      setTyping(true);
    }
  };
  const add = native
    ? [{ label: t("extensions.fromFolder"), icon: FolderOpen, onSelect: () => void choose() }, { label: t("extensions.fromPath"), onSelect: () => setTyping(true) }]
    : [{ label: t("extensions.fromFolder"), icon: FolderOpen, onSelect: () => setTyping(true) }];
  const items = all.some((view) => view.source === portico) ? add : [...add, { label: t("extensions.builtIn"), icon: Package, onSelect: () => restore.mutate() }];
  return (
    <>
      <Menu trigger={<Button kind={small ? "plain" : "main"} icon={Plus}>{t("extensions.add")}</Button>} items={items} align={small ? "end" : "start"} />
      {typing && <AddDialog onClose={() => setTyping(false)} />}
    </>
  );
}
