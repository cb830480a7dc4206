import { ArrowDown, CircleSlash, Unplug } from "lucide-react";
import { memo, startTransition, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Entry, Scroll, Session } from "../host";
import { useCall } from "../host/queries";
import { Button, cx, ProblemView, useNoticed, VisuallyHidden } from "../kit";
import { blocksOf, sameBlock, type Block } from "./blocks";
import { Call, Fold } from "./Call";
import { CopyButton } from "./Code";
import { useComplain } from "./hooks";
import { Markdown } from "./Markdown";
import { Matches } from "./Matches";
import { PermissionAnswer } from "./PermissionPrompt";
import { QuestionCard } from "./QuestionCard";
import { ScheduleCard } from "./ScheduleCard";
import { Shown } from "./Shown";
import { useTabs } from "../store/tabs";
import css from "./transcript.module.css";
import { keepView } from "./view";
import { useAnnounced } from "./words";

/** Blocks that are drawn at once, and how many more in each idle moment until all are there. */
const firstBlocks = 30;
const moreBlocks = 12;
/** So near to the end counts as being there, in CSS pixels. */
const near = 32;
/** Rest after the last scroll before the place is kept, in milliseconds. */
const rest = 250;

const Ended = memo(function Ended({ entry }: { entry: Entry }) {
  const { t } = useTranslation("chat");
  if (entry.state !== "cancelled" && entry.state !== "interrupted" && entry.state !== "failed") return null;
  const Icon = entry.state === "interrupted" ? Unplug : CircleSlash;
  return <p className={css.ended}><Icon aria-hidden />{t(`ended.${entry.state}`)}</p>;
});

function Says({ entry }: { entry: Entry }) {
  const { t } = useTranslation("chat");
  const streaming = entry.state === "running";
  return (
    <article className={css.says} aria-label={entry.model ? t("saysModel", { model: entry.model }) : t("says")} aria-busy={streaming || undefined}>
      {entry.text ? <Markdown text={entry.text} streaming={streaming} /> : streaming && <Working />}
      <Ended entry={entry} />
      {!streaming && entry.text && <div className={css.tools}><CopyButton text={() => entry.text ?? ""} label={t("copyAnswer")} /></div>}
    </article>
  );
}

function Working() {
  const { t } = useTranslation("chat");
  const noticed = useNoticed(true);
  return noticed ? <p className={css.working} role="status"><span>{t("working")}</span></p> : <p className={css.working} />;
}

function Failure({ entry, last }: { entry: Entry; last: boolean }) {
  const { t } = useTranslation("chat");
  const retry = useCall("chat.retry");
  const complain = useComplain();
  if (!entry.problem) return null;
  return (
    <ProblemView problem={entry.problem}
      actions={<>
        {last && <Button small busy={retry.isPending} onClick={() => retry.mutate({ session: entry.session }, { onError: complain })}>{t("retry")}</Button>}
        {entry.problem.code.startsWith("vault.") && <Button small onClick={() => useTabs.getState().open({ kind: "settings", page: "vault" })}>{t("toVault")}</Button>}
      </>} />
  );
}

function One({ entry, last, tool }: { entry: Entry; last: boolean; tool?: string }) {
  const { t } = useTranslation("chat");
  switch (entry.kind) {
    case "person":
      return <div className={css.you}><VisuallyHidden>{t("you")}: </VisuallyHidden>{entry.text}</div>;
    case "agent":
      return <Says entry={entry} />;
    case "question":
      return <QuestionCard entry={entry} tool={tool} />;
    case "permission":
      return <PermissionAnswer entry={entry} />;
    case "schedule":
      return <ScheduleCard entry={entry} />;
    case "display":
      return entry.display ? <div className={css.shown} role="group" aria-label={t("shown", { title: tool ?? "" })}><Shown display={entry.display} /></div> : null;
    case "problem":
      return <Failure entry={entry} last={last} />;
    case "matches":
      return <Matches entry={entry} last={last} />;
    case "call":
      return <Call entry={entry} />;
  }
}

/** Asked in the dock: it has no place in the conversation before it is answered. */
const asksBelow = (entry: Entry): boolean => entry.kind === "permission" && entry.state === "open";

const BlockView = memo(
  function BlockView({ block, last }: { block: Block; last: boolean }) {
    switch (block.type) {
      case "fold":
        return <Fold block={block} />;
      case "call":
        return (
          <>
            <Call entry={block.entry} />
            {block.children.filter((child) => !asksBelow(child)).map((child) => <div key={child.id} className={css.child}><One entry={child} last={last} tool={block.entry.call?.title} /></div>)}
          </>
        );
      case "entry":
        return <One entry={block.entry} last={last} />;
    }
  },
  (a, b) => a.last === b.last && sameBlock(a.block, b.block),
);

const idOf = (block: Block): string => (block.type === "fold" ? (block.calls[0]?.id ?? block.id) : block.id);

/** Where the block with an entry is; the last one when it is nowhere. */
function indexOf(blocks: readonly Block[], id: string): number {
  const at = blocks.findIndex((block) => (block.type === "fold" ? block.calls.some((call) => call.id === id) : block.id === id || (block.type === "call" && block.children.some((child) => child.id === id))));
  return at < 0 ? blocks.length - 1 : at;
}

export interface TranscriptProps {
  session: Session;
  entries: readonly Entry[];
  /** What stands before the first entry. */
  head?: ReactNode;
}

/** The conversation. It stays at its end unless the person went elsewhere, and what appears above moves nothing. */
export function Transcript({ session, entries, head }: TranscriptProps) {
  const { t } = useTranslation("chat");
  const blocks = useMemo(() => blocksOf(entries), [entries]);
  const [from, setFrom] = useState(() => start(blocks, session.scroll));
  const [away, setAway] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  /** Where the person is: at the end, or at an entry; and what the scroller was last set or seen at. */
  const place = useRef<{ stick: boolean; anchor?: Scroll; top: number }>({ stick: !session.scroll.entry, anchor: session.scroll.entry ? session.scroll : undefined, top: -1 });
  const id = session.id;
  const last = blocks.at(-1);
  const idle = last !== undefined && session.running && !active(last);

  const keepTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const look = useCallback(() => {
    const box = scroller.current;
    const now = place.current;
    if (!box || Math.abs(box.scrollTop - now.top) <= 1) return; // it was set here, not scrolled by the person
    const gap = box.scrollHeight - box.scrollTop - box.clientHeight;
    // The first step upwards counts, however small it is: else what streams would take it back.
    if (box.scrollTop < now.top) now.stick = gap <= 1;
    else if (gap <= near) now.stick = true;
    now.top = box.scrollTop;
    now.anchor = now.stick ? undefined : placeOf(box);
    setAway(!now.stick && gap > near * 3);
    clearTimeout(keepTimer.current);
    keepTimer.current = setTimeout(() => keepView(id, { scroll: now.anchor ?? {} }), rest);
  }, [id]);

  /** Puts the scroller where the person is, whatever grew or shrank above and below. */
  const settle = useCallback(() => {
    const box = scroller.current;
    const now = place.current;
    if (!box) return;
    const at = now.anchor && blockAt(box, now.anchor.entry);
    if (!now.stick && at) box.scrollTop = at.offsetTop + (now.anchor?.offset ?? 0);
    else if (!now.stick && now.top < 0) now.stick = true; // what was at the top edge is not there any more
    if (now.stick) box.scrollTop = box.scrollHeight;
    now.top = box.scrollTop;
    setAway(!now.stick && box.scrollHeight - box.scrollTop - box.clientHeight > near * 3);
  }, []);

  // Older blocks come while nothing else is to be done, and what is read stays where it is.
  useEffect(() => {
    if (from === 0) return;
    const draw = () => startTransition(() => setFrom((now) => Math.max(0, now - moreBlocks)));
    if (typeof requestIdleCallback === "function") {
      const handle = requestIdleCallback(draw, { timeout: 2000 });
      return () => cancelIdleCallback(handle);
    }
    const timer = setTimeout(draw, 60);
    return () => clearTimeout(timer);
  }, [from]);

  useLayoutEffect(settle, [from, entries, settle]);

  // What grows later: a picture, colours, a form, the composer.
  useEffect(() => {
    if (typeof ResizeObserver === "undefined" || !content.current || !scroller.current) return;
    const sizes = new ResizeObserver(settle);
    sizes.observe(content.current);
    sizes.observe(scroller.current);
    return () => sizes.disconnect();
  }, [settle]);

  // A tab that goes takes its place along.
  useEffect(() => {
    const now = place.current;
    return () => {
      clearTimeout(keepTimer.current);
      keepView(id, { scroll: now.stick ? {} : (now.anchor ?? {}) });
    };
  }, [id]);

  // The person's own message is where they want to be.
  const mine = entries.findLast((entry) => entry.kind === "person")?.id;
  const known = useRef(mine);
  useLayoutEffect(() => {
    if (known.current === mine) return;
    known.current = mine;
    place.current.stick = true;
    settle();
  }, [mine, settle]);

  return (
    <div className={css.transcript}>
      <div ref={scroller} className={css.scroll} role="log" aria-live="off" aria-label={t("transcript")} tabIndex={0} onScroll={look}
        onClickCapture={(event) => {
          // What unfolds grows downwards, away from the pointer.
          if (!(event.target instanceof Element) || !event.target.closest("[aria-expanded]")) return;
          place.current.stick = false;
          place.current.anchor = placeOf(event.currentTarget);
        }}>
        <div ref={content} className={css.lane}>
          {from === 0 && head}
          {blocks.slice(from).map((block, n, shown) => (
            <div key={idOf(block)} data-entry={idOf(block)} className={cx(css.block, css[kindOf(block)])}>
              <BlockView block={block} last={n === shown.length - 1} />
            </div>
          ))}
          {idle && <Working />}
        </div>
      </div>
      <Announcer entries={entries} />
      {away && (
        <button className={css.latest}
          onClick={() => {
            place.current.stick = true;
            setAway(false);
            settle();
          }}>
          <ArrowDown aria-hidden />
          {t("latest")}
        </button>
      )}
    </div>
  );
}

/** Says what is finished to who does not see it, once, and never the pieces of it. */
const Announcer = memo(function Announcer({ entries }: { entries: readonly Entry[] }) {
  const announced = useAnnounced();
  const told = useRef<Set<string>>(undefined);
  const [text, setText] = useState("");
  const key = (entry: Entry) => `${entry.id}:${entry.state}`;
  useEffect(() => {
    if (!told.current) {
      told.current = new Set(entries.map(key));
      return;
    }
    const fresh: string[] = [];
    // Only the newest can have changed; a long transcript is not walked for each piece of text.
    for (const entry of entries.slice(-firstBlocks)) {
      if (told.current.has(key(entry))) continue;
      told.current.add(key(entry));
      const said = announced(entry);
      if (said) fresh.push(said);
    }
    if (fresh.length > 0) setText(fresh.join(". "));
  }, [entries, announced]);
  return <div role="status" aria-live="polite" className={css.hidden}>{text}</div>;
});

const kindOf = (block: Block): string => (block.type === "entry" ? block.entry.kind : block.type);

const active = (block: Block): boolean => (block.type === "entry" ? block.entry.state === "running" || block.entry.state === "open" : block.type === "call" ? block.entry.state === "running" || block.entry.state === "open" : false);

function start(blocks: readonly Block[], scroll: Scroll): number {
  const end = Math.max(0, blocks.length - firstBlocks);
  return scroll.entry ? Math.max(0, Math.min(end, indexOf(blocks, scroll.entry) - moreBlocks)) : end;
}

const blocksIn = (box: HTMLElement) => [...box.querySelectorAll<HTMLElement>("[data-entry]")];

const blockAt = (box: HTMLElement, entry: string | undefined) => blocksIn(box).find((block) => block.dataset.entry === entry);

/** The entry at the top edge, and how far it is scrolled past. */
function placeOf(box: HTMLElement): Scroll {
  const block = blocksIn(box).find((one) => one.offsetTop + one.offsetHeight > box.scrollTop);
  return block ? { entry: block.dataset.entry, offset: Math.round(box.scrollTop - block.offsetTop) } : {};
}
