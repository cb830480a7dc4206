import { Pencil, Plus, Trash2 } from "lucide-react";
import { memo, useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { problemOf, type Session } from "../host";
import { useCall, useSessions } from "../host/queries";
import { problemText } from "../i18n";
import { Button, cx, keysOf, ProblemView, SearchBox, Skeleton, toast } from "../kit";
import { useTabs } from "../store/tabs";
import { useView } from "../store/view";
import { found, grouped } from "./grouping";

/** Sessions that are listed before something is searched for; a longer list is not read. */
const mostSessions = 300;

const complain = (error: unknown) => toast({ text: problemText(problemOf(error)).what, tone: "bad" });

/** The list of conversations. */
export function Sidebar() {
  const { t } = useTranslation("shell");
  const { t: common } = useTranslation("common");
  const sessions = useSessions();
  const [search, setSearch] = useState("");
  const active = useTabs((s) => s.tabs.find((tab) => tab.id === s.active)?.session);
  const open = useTabs((s) => s.open);
  const setPalette = useView((s) => s.setPalette);
  const list = useRef<HTMLElement>(null);
  const groups = grouped(found(sessions.data ?? [], search).slice(0, mostSessions), new Date());

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const items = [...(list.current?.querySelectorAll<HTMLElement>(".item > .open, .item.new") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = items[at < 0 ? (event.key === "ArrowDown" ? 0 : -1) : at + (event.key === "ArrowDown" ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <aside className="side" aria-label={t("sidebar")} ref={list} onKeyDown={onKeyDown}>
      <div className="sidesearch">
        <SearchBox value={search} onChange={setSearch} label={t("searchSessions")} placeholder={t("search")}>
          <button className="kbd" onClick={() => setPalette(true)} aria-label={t("action.palette")} title={t("action.palette")}>{keysOf("Mod+K")}</button>
        </SearchBox>
      </div>
      <button className="item new" onClick={() => open({ kind: "session" })}>
        <Plus aria-hidden />
        {t("action.newChat")}
      </button>
      {sessions.isPending && <Skeleton lines={5} label={common("loading")} />}
      {sessions.error && !sessions.data && <ProblemView problem={problemOf(sessions.error)} actions={<Button small onClick={() => void sessions.refetch()}>{common("again")}</Button>} />}
      {groups.map((group) => (
        <section key={group.label} aria-label={t(group.label)}>
          <h2 className="label" aria-hidden>{t(group.label)}</h2>
          <ul>
            {group.sessions.map((session) => <li key={session.id}><Item session={session} on={active === session.id} /></li>)}
          </ul>
        </section>
      ))}
      {search && groups.length === 0 && <p className="nothing">{t("nothingFound", { search })}</p>}
    </aside>
  );
}

const Item = memo(function Item({ session, on }: { session: Session; on: boolean }) {
  const { t } = useTranslation("shell");
  const { open, forgetSession } = useTabs.getState();
  const [title, setTitle] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const rename = useCall("sessions.rename");
  const remove = useCall("sessions.delete");
  const restore = useCall("sessions.restore");
  const name = session.title || t("untitled");

  const end = (keep: boolean) => {
    const wanted = title?.trim();
    setTitle(null);
    if (keep && wanted && wanted !== session.title) rename.mutate({ id: session.id, title: wanted }, { onError: complain });
    requestAnimationFrame(() => box.current?.querySelector<HTMLButtonElement>(".open")?.focus());
  };
  const drop = () => {
    const items = [...document.querySelectorAll<HTMLElement>(".side .open")];
    const at = items.findIndex((item) => box.current?.contains(item));
    const next = items[at + 1] ?? items[at - 1];
    remove.mutate(
      { id: session.id },
      {
        onError: complain,
        onSuccess: () => {
          const wasOpen = useTabs.getState().tabs.some((tab) => tab.session === session.id);
          forgetSession(session.id);
          // The focus goes on to what stands in its place.
          (next ?? document.querySelector<HTMLElement>(".item.new"))?.focus();
          toast({
            text: t("deleted", { name }),
            undo: () => restore.mutate({ id: session.id }, { onError: complain, onSuccess: () => wasOpen && open({ kind: "session", session: session.id }) }),
          });
        },
      },
    );
  };
  if (title !== null)
    return (
      <div className="item on" ref={box}>
        <input autoFocus aria-label={t("titleOf", { name })} value={title} maxLength={200} onFocus={(event) => event.target.select()} onChange={(event) => setTitle(event.target.value)} onBlur={() => end(true)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === "Enter") end(true);
            if (event.key === "Escape") end(false);
            event.stopPropagation();
          }} />
      </div>
    );
  return (
    <div className={cx("item", on && "on")} ref={box}>
      <button className="open clip" aria-current={on || undefined} aria-keyshortcuts="F2 Delete" title={name} onClick={() => open({ kind: "session", session: session.id })} onDoubleClick={() => setTitle(session.title)}
        onKeyDown={(event) => {
          if (event.key === "F2") setTitle(session.title);
          if (event.key === "Delete") drop();
        }}>
        {name}
      </button>
      {(session.running || session.waiting) && (
        <span className={cx("dot", session.waiting && "warn")} role="img" aria-label={t(session.waiting ? "waiting" : "running")} title={t(session.waiting ? "waiting" : "running")} />
      )}
      <span className="tools">
        <button className="icon-btn" tabIndex={-1} aria-label={t("rename", { name })} title={t("rename", { name })} onClick={() => setTitle(session.title)}><Pencil aria-hidden /></button>
        <button className="icon-btn" tabIndex={-1} aria-label={t("delete", { name })} title={t("delete", { name })} onClick={drop}><Trash2 aria-hidden /></button>
      </span>
    </div>
  );
});
