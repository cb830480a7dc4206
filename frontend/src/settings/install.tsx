import { useQuery } from "@tanstack/react-query";
import { TriangleAlert, Wrench } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, listen, problemOf, type InstallStep, type Problem, type Review } from "../host";
import { useAbout } from "../host/queries";
import { riskText, useFormats } from "../i18n";
import { Button, Chip, Dialog, EmptyState, Group, GroupRow, Grow, IconTile, ProblemView, ProgressBar, Section, Skeleton, Switch, toast } from "../kit";
import { useInstall } from "../store/install";
import { useTabs } from "../store/tabs";
import { AddDialog } from "./extensions/add";
import css from "./install.module.css";
import { permissionIcons, riskTone } from "./permission-words";
import { Held, levelOf, PermissionNote, PermissionTitle } from "./permissions";
import { keyOf, refOf } from "./ref";

let jobs = 0;
/** Names one install; a page outlives none of its jobs, so a count is enough beside the time. */
const newJob = (): string => `install-${Date.now().toString(36)}-${++jobs}`;

/** What is asked for before anything is installed, the install itself, and what went wrong. Mounted once, at the root. */
export function InstallDialog() {
  const source = useInstall((s) => s.reviewing);
  const [another, setAnother] = useState(false);
  const close = () => useInstall.getState().setReviewing(null);
  if (another) return <AddDialog onClose={() => setAnother(false)} />;
  if (source === null) return null;
  return <ReviewDialog key={source} source={source} onClose={close} onAnother={() => { close(); setAnother(true); }} />;
}

function ReviewDialog({ source, onClose, onAnother }: { source: string; onClose(): void; onAnother(): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const review = useQuery({ queryKey: ["review", source], queryFn: () => call("extensions.review", { source }), gcTime: 0, staleTime: 0 });
  if (review.data) return <Reviewed key={review.data.fingerprint} review={review.data} onClose={onClose} onAgain={() => void review.refetch()} />;
  if (review.error) {
    return (
      <Dialog open onClose={onClose} title={t("install.failed")} description={<span className={css.source}>{source}</span>}
        foot={<><Button kind="quiet" onClick={onAnother}>{t("install.another")}</Button><Grow /><Button busy={review.isFetching} onClick={() => void review.refetch()}>{common("again")}</Button><Button onClick={onClose}>{common("close")}</Button></>}>
        <ProblemView problem={elsewhere(problemOf(review.error), source)} />
      </Dialog>
    );
  }
  return (
    <Dialog open onClose={onClose} title={t("install.reading")} description={<span className={css.source}>{source}</span>} foot={<><Grow /><Button onClick={onClose}>{common("cancel")}</Button></>}>
      <Skeleton lines={5} label={t("install.reading")} />
    </Dialog>
  );
}

/** The folder stands in the title already. */
const elsewhere = (problem: Problem, source: string): Problem => (problem.where === source ? { ...problem, where: undefined } : problem);

function Reviewed({ review, onClose, onAgain }: { review: Review; onClose(): void; onAgain(): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const format = useFormats();
  const info = useAbout().data;
  const { extension } = review;
  const tools = review.toolViews ?? [];
  const offered = tools.filter((tool) => tool.available);
  const [on, setOn] = useState<ReadonlySet<string>>(() => new Set(tools.filter((tool) => tool.enabled).map((tool) => tool.tool.name)));
  const [job, setJob] = useState<string>();
  const [cancelling, setCancelling] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [step, setStep] = useState<InstallStep>();
  const permissions = tools.flatMap((tool) => (tool.permissions ?? []).map((view) => ({ tool, view })));
  const allOn = offered.length > 0 && offered.every((tool) => on.has(tool.tool.name));
  const level = levelOf(review.containment);

  const turn = (name: string, enabled: boolean) =>
    setOn((was) => {
      const now = new Set(was);
      if (enabled) now.add(name);
      else now.delete(name);
      return now;
    });

  const install = async () => {
    const started = newJob();
    setJob(started);
    setProblem(undefined);
    setStep(undefined);
    // Before the call: an install of few files may be through before an effect would run.
    const stop = listen((events) => {
      for (const event of events) if (event.topic === "install" && event.payload.job === started) setStep(event.payload);
    });
    try {
      const installed = await call("extensions.install", { source: review.source, job: started, tools: [...on], fingerprint: review.fingerprint });
      toast({ tone: "good", text: t("install.done", { name: installed.extension.displayName }) });
      useTabs.getState().open({ kind: "settings", page: `extensions/${keyOf(refOf(installed))}` });
      onClose();
    } catch (error) {
      const failed = problemOf(error);
      if (failed.code === "install.cancelled") toast(t("install.cancelled"));
      else setProblem(failed);
      setJob(undefined);
      setCancelling(false);
    } finally {
      stop();
    }
  };

  const cancel = () => {
    if (!job) return onClose();
    setCancelling(true);
    void call("extensions.cancelInstall", { job }).catch(() => undefined);
  };

  const count = on.size;
  return (
    <Dialog open onClose={cancel} stays={job !== undefined} lead={<IconTile id={extension.id} name={extension.displayName} />} title={extension.displayName}
      description={<>
        <p>{extension.description}</p>
        <p className={css.facts}>{[extension.publisher, extension.version, extension.license].filter(Boolean).join(" · ")}{(extension.publisher || extension.version || extension.license) && " · "}{t("install.facts", { files: t("extensions.files", { count: review.files }), size: format.bytes(review.bytes), source: shorten(review.source, info?.home) })}</p>
      </>}
      foot={<>
        {job ? <span className={css.waiting} role="status">{cancelling ? t("install.cancelling") : ""}</span> : null}
        <Grow />
        <Button onClick={cancel} disabled={cancelling}>{common("cancel")}</Button>
        <Button kind="main" busy={job !== undefined} onClick={() => void install()}>{count > 0 ? t("install.on", { count }) : tools.length > 0 ? t("install.off") : t("install.plain")}</Button>
      </>}>
      {problem && <ProblemView problem={problem} actions={problem.code === "install.changed" && <Button small onClick={onAgain}>{t("install.again")}</Button>} />}
      {review.replaces && (
        <GroupRow className={css.replaces} title={review.replaces.extension.version ? t("install.replaces", { version: review.replaces.extension.version }) : t("install.replacesUnknown")} note={t("install.replacesNote", { source: review.replaces.source })} />
      )}
      <Section title={t("install.asks")}>
        <Group>
          {permissions.map(({ tool, view }) => (
            <GroupRow key={`${tool.address} ${view.key}`} icon={permissionIcons[view.permission.kind]} title={<PermissionTitle permission={view.permission} />} note={<PermissionNote view={view} tool={permissions.some((other) => other.tool !== tool) ? tool.title : undefined} />}>
              <Chip tone={riskTone(view.risk)}>{riskText(view.risk.code)}</Chip>
            </GroupRow>
          ))}
          {permissions.length === 0 && <GroupRow title={t("extensions.nothing")} note={t("extensions.nothingNote")}><Held containment={review.containment} /></GroupRow>}
        </Group>
        <p className={css.small}>
          {permissions.length > 0 && `${t("install.notYet")} `}{t("install.holds")} <span className={level === "full" ? css.good : css.warn} title={review.containment.what}>{t(`install.level.${level}`)}</span>.
        </p>
      </Section>
      {tools.length > 0 && (
        <Section title={t("install.tools")} aside={offered.length > 1 && (
          <Button kind="quiet" small disabled={job !== undefined} onClick={() => setOn(new Set(allOn ? [] : offered.map((tool) => tool.tool.name)))}>{allOn ? t("install.allOff") : t("install.allOn")}</Button>
        )}>
          <Group>
            {tools.map((tool) => (
              <GroupRow key={tool.address} icon={Wrench} title={tool.title} note={tool.tool.description}>
                {tool.available ? <Switch on={on.has(tool.tool.name)} disabled={job !== undefined} label={t("install.toolOn", { name: tool.title })} onChange={(enabled) => turn(tool.tool.name, enabled)} /> : <Chip>{t("extensions.otherSystem")}</Chip>}
              </GroupRow>
            ))}
          </Group>
        </Section>
      )}
      {tools.length === 0 && !extension.memories?.length && <EmptyState title={t("extensions.noTools")} />}
      {review.warnings && review.warnings.length > 0 && (
        <Section title={t("install.warnings")} note={t("install.warningsNote")}>
          <Group>{review.warnings.map((issue, n) => <GroupRow key={n} icon={TriangleAlert} title={issue.what} note={<code>{issue.place}</code>} />)}</Group>
        </Section>
      )}
      {job && <Progress step={step} />}
    </Dialog>
  );
}

const steps = ["read", "check", "copy", "fingerprint", "swap", "lock", "done"] as const;

function Progress({ step }: { step?: InstallStep }) {
  const { t } = useTranslation("settings");
  const format = useFormats();
  const known = steps.find((name) => name === step?.step);
  const detail = known === "copy" ? step?.detail : undefined;
  return (
    <div className={css.progress}>
      <div><span role="status">{known ? t(`install.step.${known}`) : t("install.starting")}{detail && <code>{detail}</code>}</span><span>{step && format.percent(step.fraction)}</span></div>
      <ProgressBar fraction={step ? step.fraction : null} label={t("install.progress")} />
    </div>
  );
}

/** A path under the home folder, as people write it. */
export const shorten = (path: string, home?: string): string => (home && home !== "/" && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path);
