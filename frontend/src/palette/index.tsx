/** Everything by its name: commands, chats, tools, extensions, pages of the settings. */
import { Command } from "cmdk";
import { Blocks, MessageSquare, Play, Search } from "lucide-react";
import { Dialog } from "radix-ui";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ToolView } from "../host";
import { useExtensions, useSessions, useTools } from "../host/queries";
import { giveBack, IconTile, Kbd, openerNow, VisuallyHidden } from "../kit";
import { pageIcons, pages, plain } from "../settings/pages";
import { keyOf, refOf } from "../settings/ref";
import { RunDialog } from "../settings/run-dialog";
import { actions, type Action } from "../shell/actions";
import { useTabs } from "../store/tabs";
import css from "./palette.module.css";

/** Chats that are offered before something is typed. */
const recentChats = 5;

/** How well a name fits what was typed: at its start, at a word's start, anywhere, or word by word. */
export function fit(value: string, search: string, keywords: string[] = []): number {
  const wanted = plain(search).trim();
  if (wanted === "") return 1;
  const name = plain(keywords[0] ?? value);
  if (name.startsWith(wanted)) return 1;
  if (name.includes(` ${wanted}`)) return 0.8;
  if (name.includes(wanted)) return 0.6;
  const hay = plain(keywords.join(" "));
  return wanted.split(/\s+/).every((word) => hay.includes(word)) ? 0.4 : 0;
}

export function Palette({ open, onClose }: { open: boolean; onClose(): void }) {
  const { t } = useTranslation("palette");
  const { t: settings } = useTranslation("settings");
  const { t: shell } = useTranslation("shell");
  const label = shell as unknown as (key: string) => string;
  const [search, setSearch] = useState("");
  const [running, setRunning] = useState<ToolView>();
  const [opener] = useState(openerNow);
  const sessions = useSessions().data ?? [];
  const tools = useTools().data ?? [];
  const extensions = useExtensions().data ?? [];
  const offered = actions().filter((action: Action) => action.id !== "palette.open" && (action.when?.() ?? true));
  const go = (then: () => void) => () => {
    onClose();
    then();
  };
  const openPage = (page: string) => useTabs.getState().open({ kind: "settings", page });
  if (running) return <RunDialog tool={running} onClose={onClose} />;

  const chats = search === "" ? sessions.slice(0, recentChats) : sessions;
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={css.scrim} />
        <Dialog.Content className={css.palette} aria-describedby="" onCloseAutoFocus={(event) => {
          event.preventDefault();
          giveBack(opener);
        }}>
          <VisuallyHidden><Dialog.Title>{t("title")}</Dialog.Title></VisuallyHidden>
          <Command label={t("title")} filter={fit} loop>
            <div className={css.search}>
              <Search aria-hidden />
              <Command.Input autoFocus value={search} onValueChange={setSearch} placeholder={t("placeholder")} aria-label={t("placeholder")} />
            </div>
            <Command.List className={css.list}>
              <Command.Empty className={css.empty}>{t("empty")}</Command.Empty>
              <Command.Group heading={t("sessions")}>
                {chats.map((session) => (
                  <Item key={session.id} value={`session ${session.id}`} words={[session.title || t("untitled")]} icon={<MessageSquare aria-hidden />} onSelect={go(() => useTabs.getState().open({ kind: "session", session: session.id }))} />
                ))}
              </Command.Group>
              <Command.Group heading={t("actions")}>
                {offered.map((action) => (
                  <Item key={action.id} value={`action ${action.id}`} words={[label(action.label)]} icon={action.icon ? <action.icon aria-hidden /> : <span />} onSelect={go(() => action.perform())} aside={action.shortcut && <Kbd keys={action.shortcut} />} />
                ))}
              </Command.Group>
              {tools.length > 0 && (
                <Command.Group heading={t("tools")}>
                  {tools.filter((tool) => tool.available).map((tool) => (
                    <Item key={`${tool.ref.project ?? ""} ${tool.address}`} value={`tool ${tool.ref.project ?? ""} ${tool.address}`} words={[tool.title, tool.extension, tool.tool.description, ...(tool.tool.triggers ?? [])]} icon={<Play aria-hidden />} aside={tool.extension} onSelect={() => setRunning(tool)} />
                  ))}
                </Command.Group>
              )}
              {extensions.length > 0 && (
                <Command.Group heading={t("extensions")}>
                  {extensions.map((view) => (
                    <Item key={keyOf(refOf(view))} value={`extension ${keyOf(refOf(view))}`} words={[view.extension.displayName, view.extension.id]} icon={<IconTile small id={view.extension.id} name={view.extension.displayName} />} onSelect={go(() => openPage(`extensions/${keyOf(refOf(view))}`))} />
                  ))}
                </Command.Group>
              )}
              <Command.Group heading={t("pages")}>
                {pages.map((page) => {
                  const Icon = pageIcons[page] ?? Blocks;
                  return <Item key={page} value={`page ${page}`} words={[settings(`page.${page}`), t("pages")]} icon={<Icon aria-hidden />} onSelect={go(() => openPage(page))} />;
                })}
              </Command.Group>
            </Command.List>
            <footer className={css.foot}>
              <span><Kbd keys="↑↓" /> {t("toMove")}</span>
              <span><Kbd keys="Enter" /> {t("toChoose")}</span>
            </footer>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Item({ value, words, icon, aside, onSelect }: { value: string; words: string[]; icon: ReactNode; aside?: ReactNode; onSelect(): void }) {
  return (
    <Command.Item className={css.item} value={value} keywords={words} onSelect={onSelect}>
      {icon}
      <span>{words[0]}</span>
      {aside && <small>{aside}</small>}
    </Command.Item>
  );
}
