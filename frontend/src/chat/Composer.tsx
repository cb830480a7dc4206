import { ArrowUp, Check, ChevronDown, Shield, Square } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import type { MemoryItem, Mode } from "../host";
import { useCall, useFound, useMemories, useModelList, useModels } from "../host/queries";
import { Tooltip, VisuallyHidden } from "../kit";
import { useTabs } from "../store/tabs";
import css from "./composer.module.css";
import { useComplain } from "./hooks";
import { MentionList } from "./MentionList";
import { mentionAt, offered, withMention, type Mention } from "./mentions";

const modes: readonly Mode[] = ["plan", "interactive", "guided", "autonomous"];

/** The highest the text grows before it scrolls, in lines. */
const mostLines = 12;

/** Whether the engine makes a text area as high as its text. */
const sizesItself = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

export interface ComposerProps {
  text: string;
  onText(text: string): void;
  mode: Mode;
  /** The mode stays as it is. */
  fixed?: boolean;
  onMode(mode: Mode): void;
  /** The session's own model; empty: the one of the settings. */
  model: string;
  onModel(model: string): void;
  running: boolean;
  /** The turn waits for the person. */
  waiting?: boolean;
  sending: boolean;
  onSend(): void;
  onStop(): void;
  stopping: boolean;
  /** The tab is the one that is seen. */
  active: boolean;
}

/** Where a message is written. What is in it stays until it is on disk. */
export function Composer({ text, onText, mode, fixed, onMode, model, onModel, running, waiting, sending, onSend, onStop, stopping, active }: ComposerProps) {
  const { t } = useTranslation("chat");
  const area = useRef<HTMLTextAreaElement>(null);
  const direct = useModels().data?.model === "" && !model;
  useEffect(() => {
    if (active && (document.activeElement === document.body || !document.activeElement)) area.current?.focus({ preventScroll: true });
  }, [active]);
  useLayoutEffect(() => {
    const box = area.current;
    if (!box || sizesItself) return;
    box.style.height = "auto";
    if (text === "") return; // one line, which needs no measuring: not at every start
    box.style.height = `${Math.min(box.scrollHeight, mostLines * Number.parseFloat(getComputedStyle(box).lineHeight))}px`;
  }, [text]);
  const ready = text.trim() !== "" && !running && !sending;
  const mentions = useMentions(area, text, onText);
  return (
    <form className={css.composer}
      onPointerDown={(event) => {
        // A press beside the text is meant for it.
        if (event.target === event.currentTarget) {
          event.preventDefault();
          area.current?.focus();
        }
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onSend();
      }}>
      {mentions.list}
      <textarea ref={area} data-composer rows={1} value={text} aria-label={t("composer.label")} placeholder={t(direct ? "composer.direct" : "composer.message")} {...mentions.area}
        onChange={(event) => {
          mentions.look(event.target);
          onText(event.target.value);
        }}
        onSelect={(event) => mentions.look(event.currentTarget)} onBlur={mentions.close}
        onKeyDown={(event) => {
          if (mentions.onKeyDown(event)) return;
          if (event.key !== "Enter" || event.shiftKey || event.altKey || event.nativeEvent.isComposing || event.keyCode === 229) return;
          event.preventDefault();
          if (ready) onSend();
        }} />
      <div className={css.row}>
        <Picker icon={<Shield aria-hidden />} label={t("mode.label")} shown={t(`mode.${mode}.name`)}>
          <DropdownMenu.RadioGroup value={mode} onValueChange={(value) => onMode(value as Mode)}>
            {modes.map((one) => (
              <DropdownMenu.RadioItem key={one} value={one} className={css.item} disabled={fixed && one !== mode}>
                <span className={css.name}>{t(`mode.${one}.name`)}</span>
                <span className={css.note}>{t(`mode.${one}.note`)}</span>
                <DropdownMenu.ItemIndicator className={css.tick}><Check aria-hidden /></DropdownMenu.ItemIndicator>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </Picker>
        <ModelPicker model={model} onModel={onModel} />
        <span className={css.grow} />
        <span className={css.hint} aria-hidden>{running ? t(waiting ? "composer.waiting" : "composer.running") : t("composer.enter")}</span>
        {running ? (
          <Tooltip text={t("composer.stop")}><button type="button" className={css.send} aria-label={t("composer.stop")} aria-disabled={stopping || undefined} onClick={() => !stopping && onStop()}><Square aria-hidden fill="currentColor" /></button></Tooltip>
        ) : (
          <Tooltip text={t("composer.send")}><button type="submit" className={css.send} aria-label={t("composer.send")} aria-disabled={!ready || undefined}><ArrowUp aria-hidden /></button></Tooltip>
        )}
      </div>
    </form>
  );
}

/** The list that "@" opens: it goes with the caret, and Escape closes it until another "@". */
function useMentions(area: RefObject<HTMLTextAreaElement | null>, text: string, onText: (text: string) => void) {
  const { t } = useTranslation("chat");
  const id = useId();
  const [mention, setMention] = useState<Mention>();
  const [at, setAt] = useState(0);
  const closed = useRef<number>(undefined);
  const caretNext = useRef<number>(undefined);
  const memories = useMemories(mention !== undefined).data;
  const items = mention ? offered(memories?.items ?? [], mention.query) : [];
  const open = items.length > 0;
  const active = Math.min(at, items.length - 1);

  useLayoutEffect(() => {
    if (caretNext.current === undefined) return;
    area.current?.setSelectionRange(caretNext.current, caretNext.current);
    caretNext.current = undefined;
  }, [text, area]);

  const look = (box: HTMLTextAreaElement) => {
    const next = box.selectionStart === box.selectionEnd ? mentionAt(box.value, box.selectionStart) : undefined;
    if (next?.from !== closed.current) closed.current = undefined;
    const shown = next && closed.current === undefined ? next : undefined;
    if (shown?.from === mention?.from && shown?.query === mention?.query) return;
    setMention(shown);
    setAt(0);
  };
  const pick = (item: MemoryItem) => {
    const box = area.current;
    if (!box || !mention) return;
    const done = withMention(box.value, mention, box.selectionStart, item.title);
    // The caret is set once the text is there; what it then stands in is this mention, which is done.
    closed.current = mention.from;
    caretNext.current = done.caret;
    setMention(undefined);
    onText(done.text);
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!open || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "Escape") {
      closed.current = mention?.from;
      setMention(undefined);
      event.stopPropagation();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") setAt((active + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length);
    else if ((event.key === "Enter" && !event.shiftKey) || (event.key === "Tab" && !event.shiftKey)) pick(items[active]!);
    else return false;
    event.preventDefault();
    return true;
  };
  return {
    look,
    onKeyDown,
    close: () => setMention(undefined),
    area: open ? { "aria-haspopup": "listbox" as const, "aria-autocomplete": "list" as const, "aria-controls": id, "aria-activedescendant": `${id}-${active}` } : {},
    list: (
      <>
        {open && <MentionList id={id} items={items} at={active} onAt={setAt} onPick={pick} />}
        <VisuallyHidden><span role="status">{open ? t("mention.count", { count: items.length }) : ""}</span></VisuallyHidden>
      </>
    ),
  };
}

function Picker({ icon, label, shown, onOpen, children }: { icon?: ReactNode; label: string; shown: string; onOpen?(open: boolean): void; children: ReactNode }) {
  return (
    <DropdownMenu.Root onOpenChange={onOpen}>
      <DropdownMenu.Trigger className={css.picker} aria-label={`${label}: ${shown}`}>
        {icon}
        <span>{shown}</span>
        <ChevronDown aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={css.menu} align="start" side="top" sideOffset={6} collisionPadding={8}>{children}</DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function ModelPicker({ model, onModel }: { model: string; onModel(model: string): void }) {
  const { t } = useTranslation("chat");
  const chosen = useModels().data;
  const named = model || chosen?.model || "";
  return (
    <Picker label={t("model.label")} shown={named || t("model.direct")}>
      <ModelChoices baseURL={chosen?.baseURL ?? ""} preset={chosen?.model ?? ""} model={named} onModel={onModel} />
    </Picker>
  );
}

function ModelChoices({ baseURL, preset, model, onModel }: { baseURL: string; preset: string; model: string; onModel(model: string): void }) {
  const { t } = useTranslation("chat");
  const list = useModelList(baseURL);
  const found = useFound();
  const save = useCall("models.save");
  const complain = useComplain();
  const known = [...new Set([...(model ? [model] : []), ...(preset ? [preset] : []), ...(list.data ?? [])])].sort();
  const others = (found.data ?? []).filter((server) => server.baseURL !== baseURL && server.models?.length);
  return (
    <>
      {!preset && <><DropdownMenu.Label className={css.label}>{t("model.direct")}</DropdownMenu.Label><p className={css.say}>{t("model.directNote")}</p></>}
      {known.length > 0 && (
        <DropdownMenu.RadioGroup value={model} onValueChange={(value) => onModel(value === preset ? "" : value)}>
          <DropdownMenu.Label className={css.label}>{t("model.here")}</DropdownMenu.Label>
          {known.map((name) => <DropdownMenu.RadioItem key={name} value={name} className={css.item}><span className={css.name}>{name}</span><DropdownMenu.ItemIndicator className={css.tick}><Check aria-hidden /></DropdownMenu.ItemIndicator></DropdownMenu.RadioItem>)}
        </DropdownMenu.RadioGroup>
      )}
      {others.map((server) => (
        <DropdownMenu.Group key={server.baseURL}>
          <DropdownMenu.Label className={css.label}>{t("model.found", { name: server.name })}</DropdownMenu.Label>
          {(server.models ?? []).map((name) => (
            <DropdownMenu.Item key={name} className={css.item} onSelect={() => save.mutate({ baseURL: server.baseURL, model: name }, { onSuccess: () => onModel(""), onError: complain })}><span className={css.name}>{name}</span></DropdownMenu.Item>
          ))}
        </DropdownMenu.Group>
      ))}
      <DropdownMenu.Separator className={css.line} />
      <DropdownMenu.Item className={css.item} onSelect={() => useTabs.getState().open({ kind: "settings", page: "models" })}><span className={css.name}>{t("model.settings")}</span></DropdownMenu.Item>
    </>
  );
}
