import { Check, ChevronDown, ChevronRight, CircleSlash, CircleX, LoaderCircle, MessageCircleQuestionMark, Shield, Unplug, type LucideIcon } from "lucide-react";
import { memo, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CallEntry, Entry, LogLine, State } from "../host";
import { useFormats } from "../i18n";
import { Button, cx, ProblemView, ProgressBar } from "../kit";
import type { CallBlock, FoldBlock } from "./blocks";
import { ownCall, sameBlock } from "./blocks";
import { CopyButton } from "./Code";
import css from "./call.module.css";
import { fitsShort, full, partsOf } from "./values";
import { useCallWords } from "./words";

const icons: Partial<Record<State, LucideIcon>> = { done: Check, failed: CircleX, cancelled: CircleSlash, interrupted: Unplug };

function StateIcon({ state, phase }: { state: State; phase?: string }) {
  const Icon = icons[state] ?? (phase === "asking" ? MessageCircleQuestionMark : phase === "permission" ? Shield : LoaderCircle);
  return <Icon aria-hidden className={cx(css.icon, css[state], Icon === LoaderCircle && css.turning, (phase === "asking" || phase === "permission") && css.waits)} />;
}

/** What a call is at, in a word or two; nothing for what ended well. */
function useStateWord(entry: Entry): string | undefined {
  const { t } = useTranslation("chat");
  const phase = entry.call?.phase;
  switch (entry.state) {
    case "done":
      return undefined;
    case "open":
    case "running":
      return phase === "asking" || phase === "permission" ? t(`phase.${phase}`) : (entry.call?.progress?.label ?? t(phase === "starting" ? "phase.starting" : "phase.running"));
    default:
      return t(`state.${entry.state}`);
  }
}

export const Call = memo(function Call({ entry }: { entry: Entry }) {
  const { t } = useTranslation("chat");
  const words = useCallWords();
  const { duration } = useFormats();
  // Until the person says otherwise: a call by hand unfolds when its result is there, not only when it is drawn later.
  const [choice, setUnfolded] = useState<boolean>();
  const body = useId();
  const word = useStateWord(entry);
  const { call } = entry;
  if (!call) return null;
  const running = entry.state === "running" || entry.state === "open";
  const unfolded = choice ?? (ownCall(entry) && !running);
  const fraction = running && call.progress ? call.progress.fraction : undefined;
  return (
    <div className={css.call} data-state={entry.state}>
      <button className={css.line} aria-expanded={unfolded} aria-controls={unfolded ? body : undefined} onClick={() => setUnfolded(!unfolded)}>
        <StateIcon state={entry.state} phase={call.phase} />
        <span className={css.title}>{words.one(call)}</span>{" "}
        {call.extension && <span className={css.extension}>{call.extension}</span>}{" "}
        {word && <span className={cx(css.word, entry.state === "failed" && css.failedWord)}>{word}</span>}{" "}
        <span className={css.grow} />
        {!running && call.durationMs !== undefined && call.durationMs > 0 && <span className={css.time}>{duration(call.durationMs)}</span>}
        {unfolded ? <ChevronDown aria-hidden className={css.chevron} /> : <ChevronRight aria-hidden className={css.chevron} />}
      </button>
      {fraction !== undefined && <div className={css.progress}><ProgressBar fraction={fraction} label={call.progress?.label ?? t("phase.running")} /></div>}
      {unfolded && <CallBody id={body} entry={entry} call={call} />}
    </div>
  );
});

function CallBody({ id, entry, call }: { id: string; entry: Entry; call: CallEntry }) {
  const { t } = useTranslation("chat");
  const { bytes } = useFormats();
  const cut = call.resultBytes && call.resultBytes > full(call.result).length * 2 ? t("call.cut", { size: bytes(call.resultBytes) }) : undefined;
  const nothing = entry.state === "done" && (call.result === null || call.result === undefined);
  return (
    <div className={css.body} id={id}>
      {entry.state === "running" && call.progress?.description && <p className={css.describes}>{call.progress.description}</p>}
      <Fact name={t("call.arguments")} value={call.args ?? {}} none={t("call.noArguments")} />
      {!nothing && call.result !== undefined && <Fact name={t("call.result")} value={call.result} none={t("call.nothing")} note={cut} />}
      {nothing && <Fact name={t("call.result")} value={undefined} none={t("call.nothing")} note={cut} />}
      {call.error && <ProblemView problem={call.error} />}
      {call.log && call.log.length > 0 && <Log lines={call.log} />}
    </div>
  );
}

function Fact({ name, value, none, note }: { name: string; value: unknown; none: string; note?: string }) {
  const { t } = useTranslation("chat");
  const [whole, setWhole] = useState(false);
  const parts = partsOf(value);
  const short = fitsShort(value);
  const text = full(value);
  return (
    <div className={css.fact}>
      <span className={css.name}>{name}</span>
      <div className={css.value}>
        {parts.length === 0 ? <span className={css.none}>{none}</span> : whole ? <pre tabIndex={0}>{text}</pre> : (
          <p className={css.parts}>
            {parts.map((part) => (
              <span key={part.name}>
                {part.name && <><span className={css.key}>{part.name}</span>{": "}</>}
                {part.value}
                {longer(value, part.name) > 0 && <span className={css.size}> ({t("call.characters", { count: longer(value, part.name) })})</span>}
              </span>
            ))}
          </p>
        )}
        {note && <p className={css.none}>{note}</p>}
        {!short && parts.length > 0 && <Button kind="quiet" small onClick={() => setWhole(!whole)} aria-expanded={whole}>{whole ? t("call.less") : t("call.all")}</Button>}
      </div>
      {parts.length > 0 && <CopyButton text={() => text} label={t("call.copy", { name })} />}
    </div>
  );
}

/** How long a text is that is shown in part; 0 for anything else. */
function longer(value: unknown, name: string): number {
  const part = name && typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : value;
  return typeof part === "string" && !fitsShort(part) ? part.length : 0;
}

function Log({ lines }: { lines: readonly LogLine[] }) {
  const { t } = useTranslation("chat");
  return (
    <div className={css.fact}>
      <span className={css.name}>{t("call.log")}</span>
      <ol className={css.log} tabIndex={0} aria-label={t("call.log")}>
        {lines.map((line, n) => (
          <li key={n} data-level={line.level}>
            <time dateTime={new Date(line.at).toISOString()}>{new Date(line.at).toISOString().slice(11, 23)}</time>
            <span>{line.level === "error" || line.level === "warn" ? `${t(`level.${line.level}`)}: ` : ""}{line.message}</span>
          </li>
        ))}
      </ol>
      <CopyButton text={() => lines.map((line) => `${new Date(line.at).toISOString()} ${line.level} ${line.message}`).join("\n")} label={t("call.copy", { name: t("call.log") })} />
    </div>
  );
}

/** A run of calls as one line. */
export const Fold = memo(
  function Fold({ block }: { block: FoldBlock }) {
    const words = useCallWords();
    const [unfolded, setUnfolded] = useState(false);
    return (
      <div className={css.fold}>
        <button aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
          {unfolded ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
          <span>{words.many(block.calls)}</span>
        </button>
        {unfolded && <div className={css.folded}>{block.calls.map((call: CallBlock) => <Call key={call.id} entry={call.entry} />)}</div>}
      </div>
    );
  },
  (a, b) => sameBlock(a.block, b.block),
);
