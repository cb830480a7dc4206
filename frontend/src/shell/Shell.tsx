import { MessageSquare, Settings as Gear } from "lucide-react";
import { Suspense, lazy, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Chat } from "../chat/Chat";
import { call, listen, type Settings } from "../host";
import { apply, client, useInfo, useSettings } from "../host/queries";
import { setupI18n } from "../i18n";
import { ErrorBoundary, Mark, Toasts } from "../kit";
import { useInstall } from "../store/install";
import { layoutOf, useTabs } from "../store/tabs";
import { useView } from "../store/view";
import { actions, isMac, matches, perform } from "./actions";
import { Sidebar } from "./Sidebar";
import { TabRow } from "./Tabs";

const SettingsTab = lazy(() => import("../settings").then((module) => ({ default: module.SettingsTab })));
const SettingsNav = lazy(() => import("../settings").then((module) => ({ default: module.SettingsNav })));
const InstallDialog = lazy(() => import("../settings").then((module) => ({ default: module.InstallDialog })));
const Palette = lazy(() => import("../palette").then((module) => ({ default: module.Palette })));

/** Below this width the sidebar makes room; it can be opened over the page. */
const narrowWidth = 900;
/** How long a frame is waited for in a window that is still hidden, in milliseconds. */
const hiddenFrame = 60;
/** Rest after the last change before the layout is saved, in milliseconds. */
const layoutRest = 400;

/** The window: rail, sidebar, tabs, and what the active tab shows. */
export function Shell() {
  const { t } = useTranslation("shell");
  const restored = useLayout();
  const settings = useSettings().data;
  const info = useInfo().data;
  const { tabs, active, open, change } = useTabs();
  const { palette, setPalette, sidebar } = useView();
  const reviewing = useInstall((s) => s.reviewing);
  const narrow = useNarrow();
  const tab = tabs.find((other) => other.id === active);
  useEvents();
  useShortcuts();
  useAppearance(settings, info?.locale);
  useEffect(() => {
    if (!restored || !settings) return;
    // A window that is still hidden may get no frames: then the end of this task has to do.
    let told = false;
    const ready = () => {
      if (told) return;
      told = true;
      void call("system.ready", {});
    };
    requestAnimationFrame(ready);
    const timer = setTimeout(ready, hiddenFrame);
    return () => clearTimeout(timer);
  }, [restored, !settings]);
  if (!restored || !settings) return null;
  const settingsOpen = tab?.kind === "settings";
  const showSide = sidebar && !narrow;
  return (
    <>
    <div className={`window ${showSide ? "" : "narrow"}`}>
      <nav className="rail" aria-label={t("rail")}>
        <span className="mark">
          <Mark size={24} />
        </span>
        <button className={settingsOpen ? "" : "on"} aria-label={t("chats")} title={t("chats")} aria-current={!settingsOpen || undefined} onClick={() => openChat()}>
          <MessageSquare size={18} strokeWidth={1.6} />
        </button>
        <span className="grow" />
        <button className={settingsOpen ? "on" : ""} aria-label={t("settings")} title={t("settings")} aria-current={settingsOpen || undefined} onClick={() => open({ kind: "settings" })}>
          <Gear size={18} strokeWidth={1.6} />
        </button>
      </nav>
      {showSide && (settingsOpen ? <Suspense fallback={<aside className="side" />}><SettingsNav page={tab.page ?? "extensions"} onPage={(page) => change(tab.id, { page })} /></Suspense> : <Sidebar />)}
      <main className="main">
        <TabRow />
        {tab ? (
          <div className="panel" role="tabpanel" id={`panel-${tab.id}`} aria-labelledby={tab.id} key={tab.id}>
            <ErrorBoundary>
              {tab.kind === "settings" ? (
                <Suspense fallback={null}>
                  <SettingsTab page={tab.page ?? "extensions"} onPage={(page) => change(tab.id, { page })} />
                </Suspense>
              ) : (
                <Chat tab={tab} />
              )}
            </ErrorBoundary>
          </div>
        ) : (
          <Nothing />
        )}
      </main>
    </div>
      {palette && <Suspense fallback={null}><Palette open onClose={() => setPalette(false)} /></Suspense>}
      {reviewing !== null && <Suspense fallback={null}><InstallDialog /></Suspense>}
      <Toasts />
    </>
  );
}

/** Goes to the chat that was open last, or a new one. */
function openChat(): void {
  const { tabs, activate, open } = useTabs.getState();
  const last = tabs.findLast((tab) => tab.kind === "session");
  if (last) activate(last.id);
  else open({ kind: "session" });
}

function Nothing() {
  const { t } = useTranslation("shell");
  return (
    <div className="panel col" style={{ alignItems: "center", justifyContent: "center", gap: "var(--space-3)" }}>
      <p className="m2">{t("noTabs")}</p>
      <button className="btn main-act" onClick={() => useTabs.getState().open({ kind: "session" })}>
        {t("action.newChat")}
      </button>
    </div>
  );
}

/** Brings back the tabs of the last run, and keeps them for the next. */
function useLayout(): boolean {
  const [restored, setRestored] = useState(false);
  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stop = () => {};
    const start = async () => {
      const saved = layoutOf((await call("settings.layout", {})).layout);
      if (gone) return;
      if (saved && saved.tabs.length > 0) useTabs.getState().restore(saved);
      else useTabs.getState().open({ kind: "session" });
      setRestored(true);
      stop = useTabs.subscribe((now, before) => {
        if (now.tabs === before.tabs && now.active === before.active) return;
        clearTimeout(timer);
        timer = setTimeout(() => void call("settings.saveLayout", { layout: { tabs: now.tabs, active: now.active } }), layoutRest);
      });
    };
    start().catch(() => {
      // A layout that can't be read is no reason to show no window.
      if (gone) return;
      useTabs.getState().open({ kind: "session" });
      setRestored(true);
    });
    return () => {
      gone = true;
      clearTimeout(timer);
      stop();
    };
  }, []);
  return restored;
}

function useEvents(): void {
  useEffect(
    () =>
      listen((events) => {
        apply(client, events);
        for (const event of events) {
          if (event.topic === "menu") perform(event.payload.action);
          if (event.topic === "drop" && event.payload.paths?.[0]) useInstall.getState().setReviewing(event.payload.paths[0]);
          if (event.topic === "sessionGone") useTabs.getState().forgetSession(event.payload.id);
        }
      }),
    [],
  );
}

function useShortcuts(): void {
  useEffect(() => {
    const mac = isMac();
    const onKey = (event: KeyboardEvent) => {
      const action = actions().find((other) => other.shortcut && matches(other.shortcut, event, mac));
      if (!action || !(action.when?.() ?? true)) return;
      event.preventDefault();
      action.perform();
    };
    // What is dropped on the page never replaces it; folders come as "drop" events of the window.
    const stay = (event: DragEvent) => event.preventDefault();
    addEventListener("keydown", onKey);
    addEventListener("dragover", stay);
    addEventListener("drop", stay);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("dragover", stay);
      removeEventListener("drop", stay);
    };
  }, []);
}

function useAppearance(settings: Settings | undefined, locale: string | undefined): void {
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const show = () => {
      const theme = settings?.theme === "light" || settings?.theme === "dark" ? settings.theme : dark.matches ? "dark" : "light";
      document.documentElement.dataset.theme = theme;
    };
    show();
    dark.addEventListener("change", show);
    return () => dark.removeEventListener("change", show);
  }, [settings?.theme]);
  useEffect(() => {
    document.documentElement.style.setProperty("zoom", `${settings?.zoom ?? 100}%`);
  }, [settings?.zoom]);
  useEffect(() => {
    if (settings) void setupI18n(settings.language as "system" | "en" | "es", locale ?? navigator.language);
  }, [settings?.language, locale]);
}

function useNarrow(): boolean {
  const query = `(max-width: ${narrowWidth - 1}px)`;
  const [narrow, setNarrow] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const show = () => setNarrow(media.matches);
    media.addEventListener("change", show);
    return () => media.removeEventListener("change", show);
  }, [query]);
  return narrow;
}
