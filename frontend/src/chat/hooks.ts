import { useEffect, useState, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { problemOf } from "../host";
import { problemText } from "../i18n";
import { toast } from "../kit";

/** How long a prompt must have been seen before its buttons do anything, in milliseconds: a press in flight was meant for what stood there before. */
export const settles = 400;

/** Becomes true when the element has been on screen for long enough, and false again when the window was away. */
export function useSettled(element: RefObject<HTMLElement | null>): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      clearTimeout(timer);
      setSettled(false);
      timer = setTimeout(() => setSettled(true), settles);
    };
    const leave = () => {
      clearTimeout(timer);
      setSettled(false);
    };
    window.addEventListener("focus", begin);
    if (typeof IntersectionObserver === "undefined") {
      begin();
    } else if (element.current) {
      const seen = new IntersectionObserver((all) => (all.at(-1)?.isIntersecting ? begin() : leave()), { threshold: 0.5 });
      seen.observe(element.current);
      return () => {
        seen.disconnect();
        clearTimeout(timer);
        window.removeEventListener("focus", begin);
      };
    }
    return () => {
      clearTimeout(timer);
      window.removeEventListener("focus", begin);
    };
  }, [element]);
  return settled;
}

/** The chat that something stands in, for what happens when that is gone. */
export const chatOf = (from: Element | null): Element | null => from?.closest("[data-active]") ?? null;

/** Gives the focus back to the message of the chat that something in it was done in, when nothing else has it. */
export function toComposer(from: Element | null): void {
  const box = from?.closest("[data-active]")?.querySelector<HTMLElement>("[data-composer]");
  requestAnimationFrame(() => (!document.activeElement || document.activeElement === document.body) && box?.focus({ preventScroll: true }));
}

/** Says in passing what went wrong with something the person did. */
export function useComplain(): (error: unknown) => void {
  useTranslation("problems");
  return (error) => {
    const { what, next } = problemText(problemOf(error));
    toast({ text: next ? `${what} ${next}` : what, tone: "bad" });
  };
}
