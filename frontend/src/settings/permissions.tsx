import { ShieldCheck } from "lucide-react";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { Containment, Decision, PermissionView, ToolView } from "../host";
import { riskText } from "../i18n";
import { Chip, Group, GroupRow, Select } from "../kit";
import { useChanges } from "./changes";
import { permissionIcons, permissionWords, riskTone } from "./permission-words";
import css from "./permissions.module.css";

/** A permission's title with its name set as code. */
export function PermissionTitle({ permission }: { permission: PermissionView["permission"] }) {
  const { t } = useTranslation("settings");
  const { text, code } = permissionWords(permission, t);
  const at = code ? text.lastIndexOf(code) : -1;
  if (!code || at < 0) return <>{text}</>;
  return <>{text.slice(0, at)}<code>{code}</code>{text.slice(at + code.length)}</>;
}

/** The reason in the manifest's own words, and the real path behind a template. */
export function PermissionNote({ view, tool }: { view: PermissionView; tool?: string }) {
  const { t } = useTranslation("settings");
  const { permission, resolved } = view;
  const parts = [permission.reason && t("permission.reason", { reason: permission.reason }), tool && t("permission.forTool", { tool }), permission.optional && t("permission.optional")].filter(Boolean);
  return (
    <>
      {parts.map((part, n) => <Fragment key={n}>{n > 0 && " "}{part}</Fragment>)}
      {resolved && resolved !== permission.path && <div className={css.path}>{resolved}</div>}
    </>
  );
}

const decisions = ["ask", "allow", "deny"] as const satisfies readonly Decision[];

/** One permission of one tool, with the person's decision. */
export function PermissionRow({ tool, view, named }: { tool: ToolView; view: PermissionView; named: boolean }) {
  const { t } = useTranslation("settings");
  const { decide } = useChanges();
  return (
    <GroupRow icon={permissionIcons[view.permission.kind]} title={<PermissionTitle permission={view.permission} />} note={<PermissionNote view={view} tool={named ? tool.title : undefined} />}>
      <Chip tone={riskTone(view.risk)}>{riskText(view.risk.code)}</Chip>
      <Select small label={t("decision.label", { tool: tool.title, permission: permissionWords(view.permission, t).text })} value={view.decision}
        choices={decisions.map((value) => ({ value, label: t(`decision.${value}`) }))}
        onChange={(decision) => decide({ ref: tool.ref, tool: tool.tool.name, key: view.key, decision })} />
    </GroupRow>
  );
}

/** All that an extension may touch; that it may touch nothing is said, not left out. */
export function Permissions({ tools, containment }: { tools: readonly ToolView[]; containment?: Containment }) {
  const { t } = useTranslation("settings");
  const rows = tools.flatMap((tool) => (tool.permissions ?? []).map((view) => ({ tool, view })));
  return (
    <Group>
      {rows.map(({ tool, view }) => <PermissionRow key={`${tool.address} ${view.key}`} tool={tool} view={view} named={rows.some((other) => other.tool !== tool)} />)}
      {rows.length === 0 && (
        <GroupRow icon={ShieldCheck} title={t("extensions.nothing")} note={t("extensions.nothingNote")}>
          <Held containment={containment} />
        </GroupRow>
      )}
    </Group>
  );
}

export type Level = "full" | "partial" | "runtime";

export const levelOf = (containment?: Containment): Level => (containment?.level === "full" || containment?.level === "partial" ? containment.level : "runtime");

export function Held({ containment }: { containment?: Containment }) {
  const { t } = useTranslation("settings");
  if (!containment) return null;
  const level = levelOf(containment);
  return <Chip tone={level === "full" ? "good" : "warn"} icon={ShieldCheck}>{t(`extensions.held.${level}`)}</Chip>;
}
