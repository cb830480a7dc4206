import { ShieldCheck, ShieldQuestion } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ToolForm } from "../forms";
import { call, problemOf, type Problem, type ToolView } from "../host";
import { Chip, Dialog, IconTile, ProblemView } from "../kit";
import { useTabs } from "../store/tabs";
import css from "./settings.module.css";

/** What running a tool now means, before it runs. */
export function touchOf(tool: Pick<ToolView, "permissions">): "touchesNothing" | "asksFirst" | "mayTouch" {
  const permissions = tool.permissions ?? [];
  if (permissions.length === 0) return "touchesNothing";
  if (permissions.some((one) => one.decision === "allow")) return "mayTouch";
  return "asksFirst";
}

/** A tool's form; it runs in a chat of its own, which opens as a tab. */
export function RunDialog({ tool, onClose }: { tool: ToolView; onClose(): void }) {
  const { t } = useTranslation("settings");
  const session = useRef<string>(undefined);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const touch = touchOf(tool);

  const run = async (args: Record<string, unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      session.current ??= (await call("sessions.create", {})).id;
      await call("chat.run", { session: session.current, address: tool.address, args });
      useTabs.getState().open({ kind: "session", session: session.current });
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  // A chat that was made for a run that never began leaves nothing behind.
  const close = () => {
    if (session.current) void call("sessions.delete", { id: session.current }).catch(() => undefined);
    onClose();
  };

  return (
    <Dialog open onClose={close} lead={<IconTile id={tool.ref.id} name={tool.extension} />}
      title={tool.title} description={<><p>{tool.tool.description}</p><p className={css.quiet}>{t("run.note")}</p></>}>
      {problem && !problem.issues?.length && <ProblemView problem={problem} />}
      <ToolForm schema={tool.tool.schema} problems={problem?.issues} busy={busy} onSubmit={(args) => void run(args)} onCancel={close}
        footer={<Chip tone={touch === "touchesNothing" ? "good" : touch === "mayTouch" ? "warn" : "plain"} icon={touch === "touchesNothing" ? ShieldCheck : ShieldQuestion}>{t(`run.${touch}`)}</Chip>} />
    </Dialog>
  );
}
