/** What the window does without being looked at: keeps the layout, follows the core's events, the keyboard and the settings. */
import { useEffect, useLayoutEffect, useState } from "react";
import { call, listen, type HostEvent, type Settings } from "../host";
import { apply, client, savedLayout } from "../host/queries";
import { setupI18n } from "../i18n";
import { useInstall } from "../store/install";
import { layoutOf, useTabs } from "../store/tabs";
import { isNarrow, useView } from "../store/view";
import { actions, isMac, matches, perform } from "./actions";

/** Rest after the last change before the layout is saved, in milliseconds. */
const layoutRest = 400;

/** Brings back the tabs of the last run, and keeps them for the next. */
export function useLayout(): boolean {
  const [restored, setRestored] = useState(false);
  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stop = () => {};
    const save = () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      const { groups, focused } = useTabs.getState();
      void call("settings.saveLayout", { layout: { groups, focused } }).catch(() => undefined);
    };
    const begin = (saved: unknown) => {
      if (gone) return;
      const layout = layoutOf(saved);
      if (layout) useTabs.getState().restore(layout);
      else useTabs.getState().open({ kind: "session" });
      setRestored(true);
      stop = useTabs.subscribe((now, before) => {
        if (now.groups === before.groups && now.focused === before.focused) return;
        clearTimeout(timer);
        timer = setTimeout(save, layoutRest);
      });
    };
    // A layout that can't be read is no reason to show no window.
    savedLayout().then(({ layout }) => begin(layout), () => begin(null));
    addEventListener("pagehide", save);
    return () => {
      gone = true;
      save();
      stop();
      removeEventListener("pagehide", save);
    };
  }, []);
  return restored;
}

/** Streamed text comes in many small pieces; they are shown together, once a frame. */
export function batched(tell: (events: HostEvent[]) => void, frame: (run: () => void) => void = nextFrame): (events: HostEvent[]) => void {
  let waiting: HostEvent[] = [];
  return (events) => {
    if (waiting.length === 0) {
      frame(() => {
        const all = waiting;
        waiting = [];
        tell(all);
      });
    }
    waiting = waiting.length === 0 ? [...events] : [...waiting, ...events];
  };
}

/** A window that is not seen draws no frames. */
function nextFrame(run: () => void): void {
  if (document.hidden) setTimeout(run, 50);
  else requestAnimationFrame(run);
}

export function useEvents(): void {
  useEffect(
    () =>
      listen(
        batched((events) => {
          apply(client, events);
          for (const event of events) {
            if (event.topic === "menu") perform(event.payload.action);
            if (event.topic === "drop" && event.payload.paths?.[0]) useInstall.getState().setReviewing(event.payload.paths[0]);
            if (event.topic === "sessionGone") useTabs.getState().forgetSession(event.payload.id);
          }
        }),
      ),
    [],
  );
}

export function useShortcuts(): void {
  useEffect(() => {
    const mac = isMac();
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
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

export function useAppearance(settings: Settings | undefined, locale: string | undefined): void {
  const { theme, zoom, language } = settings ?? {};
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const show = () => {
      const shown = theme === "light" || theme === "dark" ? theme : dark.matches ? "dark" : "light";
      document.documentElement.dataset.theme = shown;
      document.documentElement.style.colorScheme = shown;
    };
    show();
    dark.addEventListener("change", show);
    return () => dark.removeEventListener("change", show);
  }, [theme]);
  // Before anything is measured.
  useLayoutEffect(() => {
    document.documentElement.style.setProperty("--z", String((zoom ?? 100) / 100));
  }, [zoom]);
  useEffect(() => {
    if (language) setupI18n(language, locale);
  }, [language, locale]);
}

/** Whether the window is too narrow for a sidebar beside the page. */
export function useNarrow(zoom: number): boolean {
  const [narrow, setNarrow] = useState(isNarrow);
  useEffect(() => {
    const show = () => {
      setNarrow(isNarrow());
      useView.getState().setDrawer(false);
    };
    show();
    addEventListener("resize", show);
    return () => removeEventListener("resize", show);
  }, [zoom]);
  return narrow;
}
