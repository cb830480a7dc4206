import { Check, ChevronRight, Shield } from "lucide-react";
import { lazy, memo, Suspense, useEffect, useId, useRef, useState, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { problemOf, type Entry, type ToolMatch, type ToolView } from "../host";
import { useCall, useTools } from "../host/queries";
import { Button, Chip, cx, IconTile, ProblemView, Skeleton } from "../kit";
import { useTabs } from "../store/tabs";
import { toComposer } from "./hooks";
import css from "./matches.module.css";

const ToolForm = lazy(() => import("../forms").then((forms) => ({ default: forms.ToolForm })));

export type Offered = Pick<ToolMatch, "address" | "title" | "description" | "extension" | "touches">;

export const offeredOf = (view: ToolView): Offered => ({
  address: view.address, title: view.title, description: view.tool.description, extension: view.extension, touches: (view.tool.permissions?.length ?? 0) > 0,
});

/** What direct mode found for a message. */
export const Matches = memo(function Matches({ entry, last }: { entry: Entry; last: boolean }) {
  const { t } = useTranslation("chat");
  const tools = entry.matches?.tools ?? [];
  const of = entry.matches?.of ?? 0;
  if (tools.length === 0) {
    return (
      <div className={css.none}>
        <p className={css.noneTitle}>{of === 0 ? t("matches.noTools") : t("matches.none", { count: of })}</p>
        <p>{of === 0 ? t("matches.noToolsNext") : t("matches.noneNext")}</p>
        <Button small onClick={() => useTabs.getState().open({ kind: "settings", page: "extensions" })}>{t("welcome.openExtensions")}</Button>
      </div>
    );
  }
  return (
    <section aria-label={t("matches.of", { count: of })}>
      <p className={css.heading}>{t("matches.of", { count: of })}</p>
      <Offers session={entry.session} tools={tools} first={last} />
    </section>
  );
});

export interface OffersProps {
  /** Where the chosen tool runs. */
  session: string | (() => Promise<string>);
  tools: readonly Offered[];
  /** The best one is open from the start. */
  first: boolean;
}

/** Tools as cards; the open one is its form. */
export function Offers({ session, tools, first }: OffersProps) {
  const [open, setOpen] = useState(first ? (tools[0]?.address ?? null) : null);
  const runs: Offered[][] = [];
  for (const tool of tools) {
    const run = runs.at(-1);
    if (!run || tool.address === open || run[0]?.address === open) runs.push([tool]);
    else run.push(tool);
  }
  return (
    <div className={css.cards}>
      {runs.map((run) => (
        <div key={run[0]?.address} className={css.group}>
          {run.map((tool) => <Offer key={tool.address} tool={tool} open={tool.address === open} session={session} onToggle={() => setOpen(tool.address === open ? null : tool.address)} onClose={() => setOpen(null)} />)}
        </div>
      ))}
    </div>
  );
}

interface OfferProps {
  tool: Offered;
  open: boolean;
  session: OffersProps["session"];
  onToggle(): void;
  onClose(): void;
}

function Offer({ tool, open, session, onToggle, onClose }: OfferProps) {
  const form = useId();
  return (
    <div className={cx(css.card, open && css.open)}>
      <button className={css.head} aria-expanded={open} aria-controls={open ? form : undefined} onClick={onToggle}>
        <IconTile id={tool.address.split("/").slice(0, -1).join("/")} name={tool.extension || tool.title} />
        <span className={css.text}>
          <span className={css.title}>{tool.title}</span>{" "}
          <span className={css.description}>{tool.description}</span>
        </span>
        {tool.extension && <Chip>{tool.extension}</Chip>}
        {!open && <ChevronRight aria-hidden className={css.chevron} />}
      </button>
      {open && <div className={css.form} id={form}><RunForm tool={tool} session={session} onDone={onClose} onCancel={onClose} /></div>}
    </div>
  );
}

function RunForm({ tool, session, onDone, onCancel }: { tool: Offered; session: OffersProps["session"]; onDone(): void; onCancel(): void }) {
  const { t } = useTranslation("chat");
  const tools = useTools();
  const run = useCall("chat.run");
  const place = useRef<HTMLSpanElement>(null);
  const view = tools.data?.find((other) => other.address === tool.address);
  if (tools.isPending) return <Skeleton lines={2} label={t("loading")} />;
  if (!view) return <ProblemView problem={{ code: "chat.tool-gone", what: t("matches.gone", { title: tool.title }), next: t("matches.goneNext") }} />;
  const leave = (then: () => void) => () => {
    toComposer(place.current);
    then();
  };
  const problem = run.error ? problemOf(run.error) : undefined;
  const send = async (args: Record<string, unknown>) => {
    const id = typeof session === "string" ? session : await session();
    run.mutate({ session: id, address: tool.address, args }, { onSuccess: leave(onDone) });
  };
  return (
    <Suspense fallback={<Skeleton lines={2} label={t("loading")} />}>
      <FirstField here={place} />
      <ToolForm schema={view.tool.schema} problems={problem?.issues} busy={run.isPending} submitLabel={t("matches.run")} onSubmit={(args) => void send(args).catch(() => undefined)} onCancel={leave(onCancel)}
        footer={tool.touches ? <Chip icon={Shield}>{t("matches.touches")}</Chip> : <Chip tone="good" icon={Check}>{t("matches.touchesNothing")}</Chip>} />
      {problem && !problem.issues?.length && <ProblemView problem={problem} />}
    </Suspense>
  );
}

/** Takes who has nothing else in hand to the first field of the form it stands before. */
function FirstField({ here }: { here: RefObject<HTMLSpanElement | null> }) {
  useEffect(() => {
    const now = document.activeElement;
    const idle = !now || now === document.body || (now instanceof HTMLTextAreaElement && now.dataset.composer !== undefined && now.value === "") || !!now.closest("[aria-expanded=true]");
    if (idle && here.current?.closest("[data-active=true]")) here.current.parentElement?.querySelector<HTMLElement>("textarea, input, select, [role=combobox]")?.focus({ preventScroll: true });
  }, [here]);
  return <span ref={here} hidden />;
}
