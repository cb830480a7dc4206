import { ChevronDown, ChevronRight, CircleAlert, Copy, TriangleAlert } from "lucide-react";
import { Component, createContext, use, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Issue, Problem } from "../host";
import { problemText } from "../i18n";
import { Button } from "./button";
import { copyText } from "./clipboard";
import { cx } from "./cx";
import { toast } from "./toast";
import css from "./problem.module.css";

/** What stands at the head of a bug report: Portico's version and the system. */
export const ReportAbout = createContext("");

/** The text of "copy for a bug report": in the core's own words, whatever language the person reads. */
export function reportOf(problem: Problem, about: string): string {
  const lines = [about, `${problem.code}: ${problem.what}`, problem.where && `Where: ${problem.where}`, problem.next && `Next: ${problem.next}`];
  for (const issue of problem.issues ?? []) lines.push(`- ${issue.place}: ${issue.what}${issue.warning ? " (warning)" : ""}`);
  if (problem.detail) lines.push("", problem.detail);
  return lines.filter((line) => line !== undefined).join("\n").trim() + "\n";
}

export interface ProblemViewProps {
  problem: Problem;
  tone?: "bad" | "warn";
  /** What fixes it. */
  actions?: ReactNode;
}

/** What happened, where, and what to do; details one press away. */
export function ProblemView({ problem, tone = "bad", actions }: ProblemViewProps) {
  const { t } = useTranslation("common");
  const about = use(ReportAbout);
  const [unfolded, setUnfolded] = useState(false);
  const { what, where, next } = problemText(problem);
  const Icon = tone === "bad" ? CircleAlert : TriangleAlert;
  return (
    <div className={cx(css.problem, tone === "warn" && css.warn)} role="alert">
      <div className={css.head}>
        <Icon aria-hidden />
        <div>
          <p className={css.what}>{what}</p>
          {where && <p className={css.where}>{where}</p>}
          {next && <p className={css.next}>{next}</p>}
          {problem.issues && problem.issues.length > 0 && <Issues issues={problem.issues} />}
          <div className={css.actions}>
            {actions}
            {problem.detail && (
              <Button kind="quiet" small icon={unfolded ? ChevronDown : ChevronRight} aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>{t("details")}</Button>
            )}
            <Button kind="quiet" small icon={Copy}
              onClick={() => void copyText(reportOf(problem, about)).then((done) => toast(done ? { text: t("copied"), tone: "good" } : { text: t("notCopied"), tone: "bad" }))}>
              {t("copyReport")}
            </Button>
          </div>
          {unfolded && <pre className={css.detail} tabIndex={0}>{problem.detail}</pre>}
        </div>
      </div>
    </div>
  );
}

/** Broken rules, each with its place. */
export function Issues({ issues }: { issues: readonly Issue[] }) {
  return (
    <ul className={css.issues} tabIndex={0}>
      {issues.map((issue, n) => (
        <li key={n}><code>{issue.place}</code><span>{issue.what}</span></li>
      ))}
    </ul>
  );
}

interface Boundary {
  error?: Error;
}

/** Keeps a part that failed from taking the window with it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, Boundary> {
  override state: Boundary = {};

  static getDerivedStateFromError(error: unknown): Boundary {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return <Failed error={error} onAgain={() => this.setState({ error: undefined })} />;
  }
}

function Failed({ error, onAgain }: { error: Error; onAgain(): void }) {
  const { t } = useTranslation("common");
  const problem: Problem = { code: "app.view", what: t("viewFailed"), next: t("viewFailedNext"), detail: error.stack ?? error.message };
  return <ProblemView problem={problem} actions={<Button small onClick={onAgain}>{t("again")}</Button>} />;
}
