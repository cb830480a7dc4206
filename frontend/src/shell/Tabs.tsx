import { Plus, X } from "lucide-react";
import { useRef, useState, type PointerEvent } from "react";
import { useTranslation } from "react-i18next";
import { useSessions } from "../host/queries";
import { useTabs, type Tab } from "../store/tabs";

/** How far the pointer moves before a press is a drag, in CSS pixels. */
const dragStart = 5;

/** Where a tab belongs that is dragged by its middle to x, given the other tabs' middles. */
export function placeAt(x: number, middles: number[]): number {
  return middles.filter((middle) => middle < x).length;
}

/**
 * The row of tabs. They are dragged by pointer events: drag and drop of HTML is dead in WebKitGTK windows that take files.
 */
export function TabRow() {
  const { t } = useTranslation("shell");
  const { tabs, active, activate, close, open, move } = useTabs();
  const sessions = useSessions().data ?? [];
  const row = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ id: string; start: number; x: number; moving: boolean } | null>(null);

  const title = (tab: Tab): string => {
    if (tab.kind === "settings") return t("settings");
    return sessions.find((session) => session.id === tab.session)?.title || t("untitled");
  };
  const onMove = (event: PointerEvent) => {
    if (!drag) return;
    const moving = drag.moving || Math.abs(event.clientX - drag.start) > dragStart;
    setDrag({ ...drag, x: event.clientX, moving });
    if (!moving || !row.current) return;
    const others = [...row.current.querySelectorAll<HTMLElement>("[role=tab]")].filter((tab) => tab.dataset.id !== drag.id);
    const to = placeAt(event.clientX, others.map((tab) => tab.offsetLeft + row.current!.getBoundingClientRect().left - row.current!.offsetLeft + tab.offsetWidth / 2));
    if (tabs.findIndex((tab) => tab.id === drag.id) !== to) move(drag.id, to);
  };
  return (
    <div className="tabs">
      <div
        className="tablist"
        role="tablist"
        aria-label={t("tabs")}
        ref={row}
        onKeyDown={(event) => {
          const at = tabs.findIndex((tab) => tab.id === active);
          const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
          if (to === undefined || !tabs[to]) return;
          event.preventDefault();
          if (event.altKey && active) move(active, to);
          else activate(tabs[to].id);
          requestAnimationFrame(() => row.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
        }}
      >
        {tabs.map((tab) => (
          <div
            key={tab.id}
            id={tab.id}
            data-id={tab.id}
            role="tab"
            aria-selected={tab.id === active}
            aria-controls={`panel-${tab.id}`}
            tabIndex={tab.id === active ? 0 : -1}
            title={title(tab)}
            className={`tab ${tab.id === active ? "on" : ""} ${drag?.moving && drag.id === tab.id ? "dragged" : ""}`}
            onPointerDown={(event) => {
              if (event.button !== 0 || (event.target as HTMLElement).closest(".x")) return;
              activate(tab.id);
              event.currentTarget.setPointerCapture(event.pointerId);
              setDrag({ id: tab.id, start: event.clientX, x: event.clientX, moving: false });
            }}
            onPointerMove={onMove}
            onPointerUp={() => setDrag(null)}
            onPointerCancel={() => setDrag(null)}
            onAuxClick={(event) => event.button === 1 && close(tab.id)}
            onKeyDown={(event) => event.key === "Delete" && close(tab.id)}
          >
            <span className="clip">{title(tab)}</span>
            <button className="x" tabIndex={-1} aria-label={t("closeTab", { name: title(tab) })} onClick={() => close(tab.id)}>
              <X size={13} strokeWidth={1.8} />
            </button>
          </div>
        ))}
      </div>
      <button className="icon-btn add" aria-label={t("action.newChat")} title={t("action.newChat")} onClick={() => open({ kind: "session" })}>
        <Plus size={15} strokeWidth={1.6} />
      </button>
    </div>
  );
}
