import { Shield, ShieldCheck, ShieldX } from "lucide-react";
import { memo, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { useTranslation } from "react-i18next";
import { problemOf, type Answer, type Entry } from "../host";
import { useCall, useAbout } from "../host/queries";
import { riskText } from "../i18n";
import { Button, Chip, cx, ProblemView, VisuallyHidden, type Tone } from "../kit";
import css from "./ask.module.css";
import { toComposer, useSettled } from "./hooks";
import { accessLine, usePermissionWords } from "./words";

const tones: Record<string, Tone> = { high: "bad", medium: "warn", low: "plain", none: "plain" };

/**
 * The app's own question whether an extension may touch something. Its frame belongs to the app: nothing that a model or a tool
 * writes can be drawn with it. Answers stand in a fixed order, none is focused, Enter is none of them, and none does anything
 * before the prompt could be seen.
 */
export const PermissionPrompt = memo(function PermissionPrompt({ entry }: { entry: Entry }) {
  const { t } = useTranslation("chat");
  const wants = usePermissionWords();
  const home = useAbout().data?.home ?? "";
  const decide = useCall("chat.decide");
  const frame = useRef<HTMLDivElement>(null);
  const settled = useSettled(frame);
  const pressed = useRef(false);
  const asked = entry.permission;
  if (!asked) return null;
  const { permission, extension, address, resolved, risk, answer } = asked;
  const title = t("permission.title", { extension, wants: wants(permission) });
  if (entry.state !== "open") {
    const allowed = answer?.decision === "allow";
    const Icon = allowed ? ShieldCheck : ShieldX;
    return (
      <div className={cx(css.ask, css.settled, css.answered)}>
        <Icon aria-hidden className={allowed ? css.good : css.off} />
        <span className={css.question}>{title}</span>
        <span className={css.by}>{answer ? t(`permission.${allowed ? "allow" : "deny"}.${answer.lasting}`) : t("ask.unanswered")}</span>
      </div>
    );
  }
  const give = (decision: Answer["decision"], lasting: Answer["lasting"]) => () => {
    if (settled && !decide.isPending) decide.mutate({ entry: entry.id, answer: { decision, lasting } }, { onSuccess: () => toComposer(frame.current) });
  };
  // A press that began before the prompt could be seen is none.
  const press = (event: PointerEvent) => {
    pressed.current = settled;
    if (!settled) event.preventDefault();
  };
  const noEnter = (event: KeyboardEvent) => {
    if (event.key === "Enter") event.preventDefault();
  };
  const waits = { "aria-disabled": !settled || undefined, busy: decide.isPending };
  return (
    <div ref={frame} className={cx(css.ask, css.guard)} role="group" aria-label={t("permission.label")} data-settled={settled || undefined}>
      <div className={css.head}>
        <h3 className={css.question}><Shield aria-hidden />{title}</h3>
        <Chip tone={tones[risk.level] ?? "warn"}>{riskText(risk.code)}</Chip>
      </div>
      {permission.reason && <p className={css.reason}>{t("permission.reason", { reason: permission.reason })}</p>}
      <p className={css.access}>{accessLine(address, permission, resolved, home)}</p>
      {decide.error && <ProblemView problem={problemOf(decide.error)} />}
      <VisuallyHidden>{t("permission.space")}</VisuallyHidden>
      <div className={css.foot} onPointerDownCapture={press} onKeyDownCapture={noEnter}
        onClickCapture={(event) => {
          // Without a pointer (Space, a screen reader) there was no press to look at.
          if (event.detail > 0 && !pressed.current) event.stopPropagation();
        }}>
        <Button {...waits} onClick={give("deny", "once")}>{t("permission.no")}</Button>
        <span className={css.grow} />
        <Button {...waits} kind="quiet" onClick={give("allow", "always")}>{t("permission.always")}</Button>
        <Button {...waits} onClick={give("allow", "session")}>{t("permission.session")}</Button>
        <Button {...waits} kind="main" onClick={give("allow", "once")}>{t("permission.once")}</Button>
      </div>
    </div>
  );
});
