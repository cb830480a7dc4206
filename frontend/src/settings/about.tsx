import { useQuery } from "@tanstack/react-query";
import { Bot, Check as Tick, Copy, Database, Globe, Minus, MessageSquare, RefreshCw, ScrollText, Blocks, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { call, type Check, type About } from "../host";
import { keys, useAbout, useModels } from "../host/queries";
import { Button, Chip, copyText, Group, GroupRow, Kbd, Mark, Section, toast } from "../kit";
import { actions } from "../shell/actions";
import { Loaded } from "./loaded";
import { levelOf } from "./permissions";
import css from "./settings.module.css";

function useCopy() {
  const { t } = useTranslation("common");
  return (text: string) => void copyText(text).then((done) => toast(done ? { tone: "good", text: t("copied") } : { tone: "bad", text: t("notCopied") }));
}

export function ShortcutsPage() {
  const { t } = useTranslation("settings");
  const { t: shell } = useTranslation("shell");
  const label = shell as unknown as (key: string) => string;
  return (
    <div className={css.lane}>
      <header><h1>{t("page.shortcuts")}</h1></header>
      <Section title={t("shortcuts.window")}>
        <Group>
          {actions().filter((action) => action.shortcut).map((action) => <GroupRow key={action.id} title={label(action.label)}><Kbd keys={action.shortcut!} /></GroupRow>)}
        </Group>
      </Section>
      <Section title={t("shortcuts.forms")}>
        <Group>
          <GroupRow title={t("shortcuts.runForm")}><Kbd keys="Mod+Enter" /></GroupRow>
          <GroupRow title={t("shortcuts.close")}><Kbd keys="Esc" /></GroupRow>
          <GroupRow title={t("shortcuts.notices")}><Kbd keys="F8" /></GroupRow>
        </Group>
      </Section>
    </div>
  );
}

export function PrivacyPage() {
  const { t } = useTranslation("settings");
  const model = useModels().data;
  const copy = useCopy();
  return (
    <div className={css.lane}>
      <header><h1>{t("page.privacy")}</h1></header>
      <Section title={t("privacy.stays")} id="setting-privacy-stays">
        <Group>
          <GroupRow icon={MessageSquare} title={t("privacy.chats")} note={t("privacy.chatsNote")} />
          <GroupRow icon={Blocks} title={t("privacy.extensions")} note={t("privacy.extensionsNote")} />
        </Group>
      </Section>
      <Section title={t("privacy.leaves")} id="setting-privacy-leaves">
        <Group>
          <GroupRow icon={Bot} title={t("privacy.model")} note={model && (model.baseURL === "" ? t("privacy.modelNone") : t("privacy.modelTo", { address: model.baseURL }))} />
          <GroupRow icon={Globe} title={t("privacy.tools")} note={t("privacy.toolsNote")} />
        </Group>
      </Section>
      <Section title={t("privacy.where")}>
        <Loaded query={useAbout()} lines={2}>
          {(info) => {
            const logs = below(info, "logs");
            return (
              <Group>
                <div id="setting-privacy-data">
                  <GroupRow icon={Database} title={t("privacy.data")} note={<span className={`${css.mono} ${css.copyable}`}>{info.data}</span>}>
                    <Button small icon={Copy} aria-label={`${t("privacy.copyPath")}: ${t("privacy.data")}`} onClick={() => copy(info.data)}>{t("privacy.copyPath")}</Button>
                  </GroupRow>
                </div>
                <div id="setting-privacy-logs">
                  <GroupRow icon={ScrollText} title={t("privacy.logs")} note={<><span className={`${css.mono} ${css.copyable}`}>{logs}</span><br />{t("privacy.logsNote")}</>}>
                    <Button small icon={Copy} aria-label={`${t("privacy.copyPath")}: ${t("privacy.logs")}`} onClick={() => copy(logs)}>{t("privacy.copyPath")}</Button>
                  </GroupRow>
                </div>
              </Group>
            );
          }}
        </Loaded>
      </Section>
    </div>
  );
}

/** A folder in the data folder, as its system writes paths. */
const below = (info: About, name: string): string => `${info.data}${info.platform.startsWith("windows") ? "\\" : "/"}${name}`;

const known = ["deno", "confinement", "webview", "keyring", "built-in", "node", "python3", "git"] as const;

export function AboutPage() {
  const { t } = useTranslation("settings");
  const checks = useQuery({ queryKey: keys.doctor, queryFn: () => call("system.doctor", {}) });
  const copy = useCopy();
  return (
    <div className={css.lane}>
      <Loaded query={useAbout()}>
        {(info) => (
          <>
            <header className={css.about}>
              <Mark size={48} />
              <div>
                <h1>Portico</h1>
                <p className={css.quiet}>{t("about.version", { version: info.version })}</p>
                <p>{t("about.line")}</p>
              </div>
            </header>
            <Section title={t("about.computer")} aside={<Button kind="quiet" small icon={Copy} onClick={() => copy(reportOf(info, checks.data ?? []))}>{t("about.copyReport")}</Button>}>
              <Group>
                <GroupRow title={t("about.system")}><span className={`${css.mono} ${css.copyable}`}>{info.platform}</span></GroupRow>
                <GroupRow title={t("about.window")}><span>{info.native ? t("about.native") : t("about.browser")}</span></GroupRow>
                <div id="setting-about-containment">
                  <GroupRow title={t("about.containment")} note={info.containment.what}>
                    <Chip tone={levelOf(info.containment) === "full" ? "good" : "warn"}>{t(`extensions.held.${levelOf(info.containment)}`)}</Chip>
                  </GroupRow>
                </div>
              </Group>
            </Section>
          </>
        )}
      </Loaded>
      <Section id="setting-about-checks" title={t("about.checks")} aside={<Button kind="quiet" small icon={RefreshCw} busy={checks.isFetching} onClick={() => void checks.refetch()}>{t("about.again")}</Button>}>
        <Loaded query={checks} lines={5}>{(all) => <Group>{all.map((check) => <CheckRow key={check.name} check={check} />)}</Group>}</Loaded>
      </Section>
    </div>
  );
}

function CheckRow({ check }: { check: Check & { required?: boolean } }) {
  const { t } = useTranslation("settings");
  const name = known.find((one) => one === check.name);
  return (
    <GroupRow icon={check.ok ? Tick : check.required ? TriangleAlert : Minus} title={name ? t(`about.check.${name}`) : <code>{check.name}</code>}
      note={<><span className={css.copyable}><code>{check.name}</code> {check.detail}</span>{!check.ok && (name || check.next) && <div>{name ? t(`about.advice.${name}`) : check.next}</div>}</>}>
      <Chip tone={check.ok ? "good" : check.required ? "bad" : "plain"}>{check.ok ? t("about.works") : check.required ? t("about.needed") : t("about.missing")}</Chip>
    </GroupRow>
  );
}

/** What a bug report has to say about the computer, in English whatever the person reads. */
export function reportOf(info: About, checks: readonly Check[]): string {
  const lines = [`Portico ${info.version}, ${info.platform}, ${info.native ? "native window" : "browser"}`, `Containment: ${info.containment.level} (${info.containment.what})`];
  for (const check of checks) lines.push(`${check.ok ? "ok" : "missing"} ${check.name}: ${check.detail}`);
  return lines.join("\n") + "\n";
}
