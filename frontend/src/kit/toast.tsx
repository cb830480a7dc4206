import { CircleAlert, CircleCheck, X } from "lucide-react";
import { Toast as RadixToast } from "radix-ui";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { create } from "zustand";
import { Button, IconButton } from "./button";
import { cx } from "./cx";
import css from "./overlay.module.css";

export interface Toast {
  text: string;
  tone?: "plain" | "good" | "bad";
  /** Brings back what was done. */
  undo?: () => void;
}

/** How long a toast stays, in milliseconds; it waits while it has the pointer or the focus. */
const stays = 5000;
const staysToUndo = 10_000;
/** Toasts at once; older ones go first. */
const maxToasts = 3;

let made = 0;

export const useToasts = create<{ toasts: (Toast & { id: number })[]; add(toast: Toast): void; drop(id: number): void }>((set) => ({
  toasts: [],
  add: (toast) => set((s) => ({ toasts: [...s.toasts, { ...toast, id: ++made }].slice(-maxToasts) })),
  drop: (id) => set((s) => ({ toasts: s.toasts.filter((toast) => toast.id !== id) })),
}));

/** Says something in passing, at the edge of the window. */
export const toast = (said: Toast | string): void => useToasts.getState().add(typeof said === "string" ? { text: said } : said);

/** Where toasts appear; once, at the root. F8 moves the focus there. */
export function Toasts() {
  const { t } = useTranslation("common");
  const { toasts, drop } = useToasts();
  // In the body: the region takes no part in the layout of the window it is mounted in.
  return createPortal(
    <RadixToast.Provider label={t("notice")} swipeDirection="right">
      {toasts.map((one) => (
        <RadixToast.Root key={one.id} className={cx(css.toast, one.tone && one.tone !== "plain" && css[one.tone])} duration={one.undo ? staysToUndo : stays} onOpenChange={(open) => !open && drop(one.id)}>
          {one.tone === "good" && <CircleCheck aria-hidden />}
          {one.tone === "bad" && <CircleAlert aria-hidden />}
          <RadixToast.Title className={css.said}>{one.text}</RadixToast.Title>
          {one.undo && (
            <RadixToast.Action asChild altText={t("undo")} onClick={one.undo}><Button small>{t("undo")}</Button></RadixToast.Action>
          )}
          <RadixToast.Close asChild><IconButton icon={X} label={t("close")} small /></RadixToast.Close>
        </RadixToast.Root>
      ))}
      <RadixToast.Viewport className={css.toasts} label={`${t("notices")} ({hotkey})`} />
    </RadixToast.Provider>,
    document.body,
  );
}
