import { Pencil, Plus, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Session } from "../host";
import { useCall, useSessions } from "../host/queries";
import { toast } from "../kit";
import { useTabs } from "../store/tabs";
import { useView } from "../store/view";
import { isMac, shortcutText } from "./actions";
import { found, grouped } from "./grouping";

/** The list of conversations. */
export function Sidebar() {
  const { t } = useTranslation("shell");
  const sessions = useSessions();
  const [search, setSearch] = useState("");
  const active = useTabs((s) => s.tabs.find((tab) => tab.id === s.active));
  const open = useTabs((s) => s.open);
  const setPalette = useView((s) => s.setPalette);
  const groups = grouped(found(sessions.data ?? [], search), new Date());
  return (
    <aside className="side" aria-label={t("sidebar")}>
      <div className="searchbox">
        <input type="search" value={search} placeholder={t("search")} aria-label={t("searchSessions")} onChange={(event) => setSearch(event.target.value)} onKeyDown={(event) => event.key === "Escape" && setSearch("")} />
        <button className="kbd" onClick={() => setPalette(true)} aria-label={t("action.palette")}>
          {shortcutText("Mod+K", isMac())}
        </button>
      </div>
      <button className="item" onClick={() => open({ kind: "session" })}>
        <Plus size={15} strokeWidth={1.6} /> {t("action.newChat")}
      </button>
      {groups.map((group) => (
        <section key={group.label} aria-label={t(group.label)}>
          <div className="label" aria-hidden>
            {t(group.label)}
          </div>
          {group.sessions.map((session) => (
            <Item key={session.id} session={session} on={active?.session === session.id} />
          ))}
        </section>
      ))}
      {search && groups.length === 0 && <p className="s m3" style={{ padding: "var(--space-3) var(--space-2)" }}>{t("nothingFound", { search })}</p>}
    </aside>
  );
}

function Item({ session, on }: { session: Session; on: boolean }) {
  const { t } = useTranslation("shell");
  const { open, forgetSession } = useTabs.getState();
  const [title, setTitle] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const rename = useCall("sessions.rename");
  const remove = useCall("sessions.delete");
  const restore = useCall("sessions.restore");
  const name = session.title || t("untitled");

  const finish = () => {
    const wanted = title?.trim();
    setTitle(null);
    if (wanted && wanted !== session.title) rename.mutate({ id: session.id, title: wanted });
    box.current?.querySelector<HTMLButtonElement>(".open")?.focus();
  };
  const drop = () =>
    remove.mutate(
      { id: session.id },
      {
        onSuccess: () => {
          const wasOpen = useTabs.getState().tabs.some((tab) => tab.session === session.id);
          forgetSession(session.id);
          toast({
            text: t("deleted", { name }),
            undo: () => restore.mutate({ id: session.id }, { onSuccess: () => wasOpen && open({ kind: "session", session: session.id }) }),
          });
        },
      },
    );
  if (title !== null)
    return (
      <div className="item on" ref={box}>
        <input
          autoFocus
          aria-label={t("titleOf", { name })}
          value={title}
          maxLength={200}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setTitle(event.target.value)}
          onBlur={finish}
          onKeyDown={(event) => {
            if (event.key === "Enter") finish();
            if (event.key === "Escape") setTitle(null);
          }}
        />
      </div>
    );
  return (
    <div className={`item ${on ? "on" : ""}`} ref={box}>
      <button
        className="open grow clip"
        aria-current={on || undefined}
        onClick={() => open({ kind: "session", session: session.id })}
        onDoubleClick={() => setTitle(session.title)}
        onKeyDown={(event) => {
          if (event.key === "F2") setTitle(session.title);
          if (event.key === "Delete") drop();
        }}
      >
        {name}
      </button>
      {(session.running || session.waiting) && (
        <span className={`dot ${session.waiting ? "warn" : ""}`} role="img" aria-label={t(session.waiting ? "waiting" : "running")} title={t(session.waiting ? "waiting" : "running")} />
      )}
      <span className="tools">
        <button className="icon-btn" aria-label={t("rename", { name })} title={t("rename", { name })} onClick={() => setTitle(session.title)}>
          <Pencil size={14} strokeWidth={1.6} />
        </button>
        <button className="icon-btn" aria-label={t("delete", { name })} title={t("delete", { name })} onClick={drop}>
          <Trash2 size={14} strokeWidth={1.6} />
        </button>
      </span>
    </div>
  );
}
