import { MessageSquare, Settings as Gear, type LucideIcon } from "lucide-react";
import { Fragment, Suspense, lazy, useEffect, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { useTranslation } from "react-i18next";
import { Chat } from "../chat/Chat";
import { problemOf } from "../host";
import { useAbout, useSettings } from "../host/queries";
import { Button, cx, EmptyState, ErrorBoundary, Kbd, Mark, ProblemView, Toasts, Tooltip } from "../kit";
import { useInstall } from "../store/install";
import { useTabs, type Group, type Tab } from "../store/tabs";
import { useView } from "../store/view";
import { useAppearance, useEvents, useLayout, useNarrow, useShortcuts } from "./effects";
import { Sidebar } from "./Sidebar";
import { showWindow } from "./ready";
import { TabRow } from "./Tabs";

const SettingsTab = lazy(() => import("../settings").then((module) => ({ default: module.SettingsTab })));
const SettingsNav = lazy(() => import("../settings").then((module) => ({ default: module.SettingsNav })));
const InstallDialog = lazy(() => import("../settings").then((module) => ({ default: module.InstallDialog })));
const Palette = lazy(() => import("../palette").then((module) => ({ default: module.Palette })));

const firstPage = "extensions";

/** The window: rail, sidebar, and groups of tabs side by side. */
export function Shell() {
  const restored = useLayout();
  const settings = useSettings();
  const info = useAbout().data;
  const { palette, setPalette } = useView();
  const reviewing = useInstall((s) => s.reviewing);
  useEvents();
  useShortcuts();
  useAppearance(settings.data, info?.locale);
  const shown = restored && (settings.data !== undefined || settings.error !== null);
  useEffect(() => {
    if (shown) return showWindow();
  }, [shown]);
  if (!shown) return null;
  return (
    <>
      {settings.error && !settings.data ? (
        <div className="alone"><ProblemView problem={problemOf(settings.error)} actions={<Button small onClick={() => void settings.refetch()}><Again /></Button>} /></div>
      ) : (
        <Window />
      )}
      {palette && <Suspense fallback={null}><Palette open onClose={() => setPalette(false)} /></Suspense>}
      {reviewing !== null && <Suspense fallback={null}><InstallDialog /></Suspense>}
      <Toasts />
    </>
  );
}

function Again() {
  const { t } = useTranslation("common");
  return <>{t("again")}</>;
}

function Window() {
  const groups = useTabs((s) => s.groups);
  const focused = useTabs((s) => s.focused);
  const tab = useTabs((s) => s.tabs.find((other) => other.id === s.active));
  const { sidebar, drawer, setDrawer } = useView();
  const narrow = useNarrow(useSettings().data?.zoom ?? 100);
  const settingsOpen = tab?.kind === "settings";
  const side = settingsOpen ? (
    <Suspense fallback={<aside className="side" />}>
      <SettingsNav page={tab.page ?? firstPage} onPage={(page) => {
        useTabs.getState().change(tab.id, { page });
        setDrawer(false);
      }} />
    </Suspense>
  ) : (
    <Sidebar />
  );
  // Over a narrow page it goes when something in it was chosen.
  const open = tab?.id;
  useEffect(() => setDrawer(false), [open, tab?.session, setDrawer]);
  return (
    <div className={cx("window", (narrow || !sidebar) && "narrow")}>
      <Rail settingsOpen={settingsOpen} />
      {!narrow && sidebar && side}
      {narrow && drawer && (
        <div className="drawer" onKeyDown={(event) => event.key === "Escape" && setDrawer(false)}
          onPointerDown={(event) => event.target === event.currentTarget && setDrawer(false)}>
          {side}
        </div>
      )}
      <main className="groups">
        {groups.map((group, n) => (
          <Fragment key={group.id}>
            {n > 0 && <Edge left={groups[n - 1]!} />}
            <GroupView group={group} focused={group.id === focused} />
          </Fragment>
        ))}
      </main>
    </div>
  );
}

function Rail({ settingsOpen }: { settingsOpen: boolean }) {
  const { t } = useTranslation("shell");
  return (
    <nav className="rail" aria-label={t("rail")}>
      <span className="mark"><Mark /></span>
      <RailButton icon={MessageSquare} label={t("chats")} shortcut="Mod+B" on={!settingsOpen} onClick={() => (settingsOpen ? openChat() : useView.getState().toggleSidebar())} />
      <span className="grow" />
      <RailButton icon={Gear} label={t("settings")} shortcut="Mod+," on={settingsOpen} onClick={() => (settingsOpen ? useView.getState().toggleSidebar() : useTabs.getState().open({ kind: "settings" }))} />
    </nav>
  );
}

function RailButton({ icon: Icon, label, shortcut, on, onClick }: { icon: LucideIcon; label: string; shortcut: string; on: boolean; onClick(): void }) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <button className={on ? "on" : ""} aria-label={label} aria-current={on || undefined} onClick={onClick}><Icon aria-hidden /></button>
    </Tooltip>
  );
}

/** Goes to the chat that was open last, or a new one. */
function openChat(): void {
  const { tabs, activate, open } = useTabs.getState();
  const last = tabs.findLast((tab) => tab.kind === "session");
  if (last) activate(last.id);
  else open({ kind: "session" });
}

function GroupView({ group, focused }: { group: Group; focused: boolean }) {
  const { focus } = useTabs.getState();
  const tab = group.tabs.find((other) => other.id === group.active);
  return (
    <section className="main" style={{ flexGrow: group.share }} onFocusCapture={() => focus(group.id)} onPointerDownCapture={() => focus(group.id)}>
      <TabRow group={group} focused={focused} />
      {tab ? (
        <div className="panel" role="tabpanel" id={`panel-${tab.id}`} aria-labelledby={tab.id} key={tab.id}>
          <ErrorBoundary><TabView tab={tab} focused={focused} /></ErrorBoundary>
        </div>
      ) : (
        <Nothing />
      )}
    </section>
  );
}

function TabView({ tab, focused }: { tab: Tab; focused: boolean }) {
  if (tab.kind === "session") return <Chat tab={tab} active={focused} />;
  return (
    <Suspense fallback={null}>
      <SettingsTab page={tab.page ?? firstPage} onPage={(page) => useTabs.getState().change(tab.id, { page })} />
    </Suspense>
  );
}

function Nothing() {
  const { t } = useTranslation("shell");
  return (
    <div className="panel alone">
      <EmptyState icon={MessageSquare} title={t("noTabs")} actions={<Button kind="main" onClick={() => useTabs.getState().open({ kind: "session" })}>{t("action.newChat")}</Button>}>
        <Kbd keys="Mod+N" />
      </EmptyState>
    </div>
  );
}

/** How far an arrow key moves an edge, as a share of both groups. */
const nudge = 0.03;

/** Between two groups; drawn by the pointer or the arrow keys. */
function Edge({ left }: { left: Group }) {
  const { t } = useTranslation("shell");
  const { resize } = useTabs.getState();
  const last = useRef<number>(undefined);
  const shares = useTabs((s) => {
    const at = s.groups.findIndex((group) => group.id === left.id);
    return left.share / (left.share + (s.groups[at + 1]?.share ?? 0));
  });
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (last.current === undefined) return;
    const before = event.currentTarget.previousElementSibling?.getBoundingClientRect();
    const after = event.currentTarget.nextElementSibling?.getBoundingClientRect();
    const both = (before?.width ?? 0) + (after?.width ?? 0);
    if (both > 0) resize(left.id, (event.clientX - last.current) / both);
    last.current = event.clientX;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -nudge, ArrowRight: nudge }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    resize(left.id, by);
  };
  return (
    <div className="edge" role="separator" aria-orientation="vertical" aria-label={t("edge")} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(shares * 100)} tabIndex={0} onKeyDown={onKeyDown} onPointerMove={onPointerMove}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        last.current = event.clientX;
      }}
      onPointerUp={() => (last.current = undefined)} onPointerCancel={() => (last.current = undefined)} />
  );
}
