import { Shield, ShieldCheck, ShieldX } from "lucide-react";
import { memo, useLayoutEffect, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { useTranslation } from "react-i18next";
import { problemOf, type Answer, type Entry } from "../host";
import { useCall, useAbout } from "../host/queries";
import { riskText } from "../i18n";
import { Button, Chip, cx, ProblemView, VisuallyHidden, type Tone } from "../kit";
import css from "./ask.module.css";
import { chatOf, toComposer, useSettled } from "./hooks";
import { accessLine, usePermissionWords } from "./words";

const tones: Record<string, Tone> = { high: "bad", medium: "warn", low: "plain", none: "plain" };

/**
 * Where the app asks for permission: between the conversation and the message, where nothing that a model or a tool writes can
 * be drawn. What waits is asked one after the other, the oldest first.
 */
export function PermissionDock({ waiting }: { waiting: readonly Entry[] }) {
  const dock = useRef<HTMLDivElement>(null);
  const inside = useRef(false);
  const entry = waiting[0];
  const id = entry?.id;
  // Who answers from the keyboard goes on with the next; none of its buttons has the focus.
  useLayoutEffect(() => {
    if (inside.current && document.activeElement === document.body) dock.current?.focus({ preventScroll: true });
  }, [id]);
  if (!entry) return null;
  return (
    <div ref={dock} className={css.dock} data-waits="permission" tabIndex={-1} onFocus={() => (inside.current = true)}
      onBlur={(event) => (inside.current = event.relatedTarget === null || event.currentTarget.contains(event.relatedTarget))}>
      <PermissionPrompt key={entry.id} entry={entry} more={waiting.length - 1} />
    </div>
  );
}

/** What was asked and decided, in its place in the conversation; while it is open, the dock asks. */
export const PermissionAnswer = memo(function PermissionAnswer({ entry }: { entry: Entry }) {
  const { t } = useTranslation("chat");
  const wants = usePermissionWords();
  const asked = entry.permission;
  if (!asked || entry.state === "open") return null;
  const { permission, extension, answer } = asked;
  const allowed = answer?.decision === "allow";
  const Icon = allowed ? ShieldCheck : ShieldX;
  return (
    <div className={cx(css.ask, css.settled, css.answered)}>
      <Icon aria-hidden className={allowed ? css.good : css.off} />
      <span className={css.question}>{t("permission.title", { extension, wants: wants(permission) })}</span>
      <span className={css.by}>{answer ? t(`permission.${allowed ? "allow" : "deny"}.${answer.lasting}`) : t("ask.unanswered")}</span>
    </div>
  );
});

/**
 * The app's own question whether an extension may touch something. Its frame belongs to the app: nothing that a model or a tool
 * writes can be drawn with it. Answers stand in a fixed order, none is focused, Enter is none of them, and none does anything
 * before the prompt could be seen.
 */
const PermissionPrompt = memo(function PermissionPrompt({ entry, more }: { entry: Entry; more: number }) {
  const { t } = useTranslation("chat");
  const wants = usePermissionWords();
  const home = useAbout().data?.home ?? "";
  const decide = useCall("chat.decide");
  const frame = useRef<HTMLDivElement>(null);
  const settled = useSettled(frame);
  const pressed = useRef(false);
  const asked = entry.permission;
  if (!asked) return null;
  const { permission, extension, address, resolved, risk } = asked;
  const give = (decision: Answer["decision"], lasting: Answer["lasting"]) => () => {
    if (!settled || decide.isPending) return;
    const chat = chatOf(frame.current);
    decide.mutate({ entry: entry.id, answer: { decision, lasting } }, { onSuccess: () => more === 0 && toComposer(chat) });
  };
  // A press that began before the prompt could be seen is none.
  const press = (event: PointerEvent) => {
    pressed.current = settled;
    if (!settled) event.preventDefault();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") event.preventDefault();
    if (event.key === "Escape") chatOf(frame.current)?.querySelector<HTMLElement>("[data-composer]")?.focus({ preventScroll: true });
  };
  const waits = { "aria-disabled": !settled || undefined, busy: decide.isPending };
  return (
    <div ref={frame} className={cx(css.ask, css.guard)} role="group" aria-label={t("permission.label")} data-settled={settled || undefined} onKeyDownCapture={onKeyDown}>
      <div className={css.said}>
        <div className={css.head}>
          <h3 className={css.question}><Shield aria-hidden />{t("permission.title", { extension, wants: wants(permission) })}</h3>
          <Chip tone={tones[risk.level] ?? "warn"}>{riskText(risk.code)}</Chip>
        </div>
        {permission.reason && <p className={css.reason}>{t("permission.reason", { reason: permission.reason })}</p>}
        <p className={css.access}>{accessLine(address, permission, resolved, home)}</p>
        {decide.error && <ProblemView problem={problemOf(decide.error)} />}
      </div>
      <VisuallyHidden>{t("permission.space")}</VisuallyHidden>
      <div className={css.foot} onPointerDownCapture={press}
        onClickCapture={(event) => {
          // Without a pointer (Space, a screen reader) there was no press to look at.
          if (event.detail > 0 && !pressed.current) event.stopPropagation();
        }}>
        <Button {...waits} onClick={give("deny", "once")}>{t("permission.no")}</Button>
        <span className={css.more} role="status">{more > 0 ? t("permission.more", { count: more }) : ""}</span>
        <Button {...waits} kind="quiet" onClick={give("allow", "always")}>{t("permission.always")}</Button>
        <Button {...waits} onClick={give("allow", "session")}>{t("permission.session")}</Button>
        <Button {...waits} kind="main" onClick={give("allow", "once")}>{t("permission.once")}</Button>
      </div>
    </div>
  );
});
