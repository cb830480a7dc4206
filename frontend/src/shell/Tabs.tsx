import { Columns2, Plus, X } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { useTranslation } from "react-i18next";
import { useSessions } from "../host/queries";
import { cx, IconButton } from "../kit";
import { maxGroups } from "../store/layout";
import { useTabs, type Group, type Tab } from "../store/tabs";

/** How far the pointer moves before a press is a drag, in CSS pixels. */
const dragStart = 5;

/** Where a tab belongs that is dragged to x, given the other tabs' middles. */
export const placeAt = (x: number, middles: readonly number[]): number => middles.filter((middle) => middle < x).length;

/** The row of tabs under the pointer, and the place in it. */
function dropAt(x: number, y: number, dragged: string): { group: string; at: number } | undefined {
  for (const row of document.querySelectorAll<HTMLElement>("[data-tabrow]")) {
    const box = row.getBoundingClientRect();
    if (x < box.left || x > box.right || y < box.top - box.height || y > box.bottom + box.height) continue;
    const others = [...row.querySelectorAll<HTMLElement>("[role=tab]")].filter((tab) => tab.dataset.id !== dragged);
    const middles = others.map((tab) => {
      const { left, width } = tab.getBoundingClientRect();
      return left + width / 2;
    });
    return { group: row.dataset.tabrow ?? "", at: placeAt(x, middles) };
  }
  return undefined;
}

export function useTabTitle(): (tab: Tab) => string {
  const { t } = useTranslation("shell");
  const sessions = useSessions().data;
  return (tab) => (tab.kind === "settings" ? t("settings") : sessions?.find((session) => session.id === tab.session)?.title || t("untitled"));
}

/**
 * A group's row of tabs. They are dragged by pointer events, within the row and into another one: drag and drop of HTML is
 * dead in WebKitGTK windows that take files.
 */
export function TabRow({ group, focused }: { group: Group; focused: boolean }) {
  const { t } = useTranslation("shell");
  const { activate, close, open, move, split, focus } = useTabs.getState();
  const groups = useTabs((s) => s.groups.length);
  const title = useTabTitle();
  const sessions = useSessions().data;
  const row = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ id: string; start: number; moving: boolean } | null>(null);
  const { tabs, active } = group;

  useEffect(() => {
    row.current?.querySelector("[aria-selected=true]")?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [active, tabs.length]);

  const onMove = (event: PointerEvent) => {
    if (!drag) return;
    const moving = drag.moving || Math.abs(event.clientX - drag.start) > dragStart;
    if (moving !== drag.moving) setDrag({ ...drag, moving });
    if (!moving) return;
    const to = dropAt(event.clientX, event.clientY, drag.id);
    // Into another row only when it is let go: the tab under the pointer must not leave the row that holds the drag.
    if (to?.group === group.id && tabs.findIndex((tab) => tab.id === drag.id) !== to.at) move(drag.id, group.id, to.at);
  };
  const onDrop = (event: PointerEvent) => {
    if (drag?.moving) {
      const to = dropAt(event.clientX, event.clientY, drag.id);
      if (to && to.group !== group.id) move(drag.id, to.group, to.at);
    }
    setDrag(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === active);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const wanted = to === undefined ? undefined : tabs[to];
    if (to === undefined || !wanted) return;
    event.preventDefault();
    if (event.altKey && active) move(active, group.id, to);
    else activate(wanted.id);
    requestAnimationFrame(() => row.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
  };
  return (
    <div className="tabs">
      <div className="tablist" role="tablist" aria-label={t("tabs")} ref={row} data-tabrow={group.id} onKeyDown={onKeyDown}>
        {tabs.map((tab) => {
          const name = title(tab);
          const session = sessions?.find((other) => other.id === tab.session);
          const on = tab.id === active;
          return (
            <div key={tab.id} id={tab.id} data-id={tab.id} role="tab" aria-selected={on} aria-controls={on ? `panel-${tab.id}` : undefined} aria-keyshortcuts="Delete" tabIndex={on ? 0 : -1} title={name}
              className={cx("tab", on && "on", on && focused && groups > 1 && "focused", drag?.moving && drag.id === tab.id && "dragged")}
              onPointerDown={(event) => {
                if (event.button !== 0 || (event.target instanceof Element && event.target.closest(".x"))) return;
                activate(tab.id);
                event.currentTarget.setPointerCapture(event.pointerId);
                setDrag({ id: tab.id, start: event.clientX, moving: false });
              }}
              onPointerMove={onMove} onPointerUp={onDrop} onPointerCancel={() => setDrag(null)}
              onMouseDown={(event) => event.button === 1 && event.preventDefault()}
              onAuxClick={(event) => event.button === 1 && close(tab.id)}
              onKeyDown={(event) => {
                if (event.key !== "Delete") return;
                close(tab.id);
                requestAnimationFrame(() => row.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
              }}>
              <span className="clip">{name}</span>
              {session && !on && (session.waiting || session.running) && <span className={cx("dot", session.waiting && "warn")} role="img" aria-label={t(session.waiting ? "waiting" : "running")} />}
              <span className="x" title={t("closeTab", { name })} aria-hidden onClick={() => close(tab.id)}><X /></span>
            </div>
          );
        })}
      </div>
      <IconButton small icon={Plus} label={t("action.newChat")}
        onClick={() => {
          focus(group.id);
          open({ kind: "session" });
        }} />
      <span className="grow" />
      {active && groups < maxGroups && <IconButton small icon={Columns2} label={t("action.split")} onClick={() => split(active)} />}
    </div>
  );
}
