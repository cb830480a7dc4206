import { ChevronDown, ChevronRight, Play, Search, Wrench } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ToolView } from "../host";
import { useTools } from "../host/queries";
import { Button, Chip, EmptyState, Group, GroupRow, IconButton, IconTile, SearchBox, Switch } from "../kit";
import { problemText } from "../i18n";
import { useChanges } from "./changes";
import { Loaded } from "./loaded";
import { found } from "./pages";
import { PermissionRow } from "./permissions";
import { RunDialog } from "./run-dialog";
import css from "./settings.module.css";

/** Every tool of every extension: its switch, what it may touch, and "Run…". */
export function ToolsPage({ named, onPage }: { named?: string; onPage(page: string): void }) {
  const { t } = useTranslation("settings");
  const [search, setSearch] = useState(named ?? "");
  const [running, setRunning] = useState<ToolView>();
  return (
    <div className={css.lane}>
      <Loaded query={useTools()} lines={6}>
        {(tools) => {
          const shown = search.trim() === "" ? tools : tools.filter((tool) => found(search, tool.title, tool.tool.name, tool.tool.description, tool.extension));
          const on = tools.filter((tool) => tool.enabled).length;
          return (
            <>
              <header>
                <div className={css.top}>
                  <h1>{t("page.tools")}</h1>
                  {tools.length > 0 && <Chip>{t("tools.on", { count: on, of: tools.length })}</Chip>}
                </div>
                <p>{t("tools.intro")}</p>
              </header>
              {tools.length === 0 ? (
                <EmptyState icon={Wrench} title={t("tools.none")} actions={<Button kind="main" onClick={() => onPage("extensions")}>{t("tools.toExtensions")}</Button>}>{t("tools.noneNote")}</EmptyState>
              ) : (
                <>
                  <div id="setting-tools-search"><SearchBox value={search} onChange={setSearch} label={t("tools.search")} /></div>
                  {shown.length === 0 ? <EmptyState icon={Search} title={t("tools.noMatch")} /> : <Group>{shown.map((tool) => <ToolItem key={`${tool.ref.project ?? ""} ${tool.address}`} tool={tool} lead onRun={() => setRunning(tool)} />)}</Group>}
                </>
              )}
            </>
          );
        }}
      </Loaded>
      {running && <RunDialog tool={running} onClose={() => setRunning(undefined)} />}
    </div>
  );
}

/** One tool: in the list of all with its extension and what it may touch, on its extension's page without. */
export function ToolItem({ tool, lead, onRun }: { tool: ToolView; lead?: boolean; onRun(): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const { offer } = useChanges();
  const [unfolded, setUnfolded] = useState(false);
  const permissions = tool.permissions ?? [];
  const note = (
    <>
      {tool.tool.description}
      {tool.tool.effect === "reads" && ` ${t("extensions.readsOnly")}`}
      {tool.problem && <div className={css.quiet}>{problemText(tool.problem).what}</div>}
      {lead && (
        <div className={css.quiet}>
          {tool.extension}
          {" · "}
          {permissions.length === 0 ? t("tools.touchesNothing") : t("tools.permissions", { count: permissions.length })}
        </div>
      )}
    </>
  );
  return (
    <div>
      <GroupRow lead={lead && <IconTile id={tool.ref.id} name={tool.extension} />} title={tool.title} note={note} icon={lead ? undefined : Wrench}>
        {!tool.available && <Chip>{t("extensions.otherSystem")}</Chip>}
        {lead && permissions.length > 0 && (
          <IconButton small icon={unfolded ? ChevronDown : ChevronRight} label={t("tools.permissionsOf", { name: tool.title })} aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)} />
        )}
        <Button small icon={Play} disabled={!tool.available} aria-label={t("extensions.runNamed", { name: tool.title })} onClick={onRun}>{common("runMore")}</Button>
        <Switch on={tool.enabled} label={t("extensions.toolSwitch", { name: tool.title })} disabled={!tool.available} onChange={(enabled) => offer({ ref: tool.ref, tool: tool.tool.name, enabled })} />
      </GroupRow>
      {unfolded && <div className={css.permissions}>{permissions.map((view) => <PermissionRow key={view.key} tool={tool} view={view} named={false} />)}</div>}
    </div>
  );
}
