import { useMutation } from "@tanstack/react-query";
import { Blocks, Check, Copy, Eye, EyeOff, FileLock2, FileWarning, KeyRound, Lock, MessageSquareCode, MoreHorizontal, TriangleAlert, type LucideIcon } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { call, problemOf, type VaultName, type VaultStatus } from "../host";
import { keys, useClient, useVault } from "../host/queries";
import { problemText, useFormats } from "../i18n";
import { Button, Chip, ConfirmDialog, copyText, Field, Group, GroupRow, IconButton, Menu, ProblemView, Section, toast } from "../kit";
import { sayFailed } from "./changes";
import { Loaded } from "./loaded";
import { SecretInput } from "./secret";
import css from "./settings.module.css";
import { AnewDialog, PassphraseDialog, ReplaceDialog } from "./vault-dialogs";

/** How long a value stays in sight, in seconds. */
const inSight = 30;

const icons: Record<string, LucideIcon> = { model: MessageSquareCode, setting: Blocks, own: KeyRound };

/** What the vault is asked to do with what opens it; the page follows by the core's events. */
function useVaultCall<Q>(ask: (request: Q) => Promise<unknown>, done?: string) {
  const client = useClient();
  return useMutation({
    mutationFn: ask,
    onSuccess: () => done && toast({ tone: "good", text: done }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.vault }),
  });
}

/** Names and where they are used; values never, unless one is asked for. */
export function VaultPage({ onPage }: { onPage(page: string): void }) {
  const { t } = useTranslation("settings");
  return (
    <div className={css.lane}>
      <header><h1>{t("page.vault")}</h1><p>{t("vault.intro")}</p></header>
      <Loaded query={useVault()} lines={6}>{(status) => <Opened status={status} onPage={onPage} />}</Loaded>
    </div>
  );
}

function Opened({ status, onPage }: { status: VaultStatus; onPage(page: string): void }) {
  const { t } = useTranslation("settings");
  const [asking, setAsking] = useState<"passphrase" | "anew">();
  const [kept, setKept] = useState("");
  const close = () => setAsking(undefined);
  const names = status.names ?? [];
  const damaged = status.damaged ?? [];
  return (
    <>
      <Section id="setting-vault-keeper" title={t("vault.keeper")}>
        <Keeper status={status} onPassphrase={() => setAsking("passphrase")} onAnew={() => setAsking("anew")} />
        {kept && <Group><GroupRow icon={FileLock2} title={t("vault.kept")} note={<>{t("vault.keptNote")}<div className={css.mono}>{kept}</div></>} /></Group>}
      </Section>
      <Section id="setting-vault-contents" title={t("vault.contents")}>
        <Group>
          {names.map((one) => <Secret key={one.name} one={one} open={status.state === "ready"} />)}
          {names.length === 0 && <GroupRow icon={KeyRound} title={t("vault.none")} note={t("vault.noneNote")}><Button small onClick={() => onPage("models")}>{t("vault.toModels")}</Button></GroupRow>}
          {damaged.length > 0 && (
            <GroupRow icon={FileWarning} title={t("vault.damaged", { count: damaged.length })} note={<>{t("vault.damagedNote")}{damaged.map((file) => <div key={file} className={css.mono}>{file}</div>)}</>} />
          )}
        </Group>
      </Section>
      {asking === "passphrase" && <PassphraseDialog change={status.hasPassphrase} onClose={close} onAnew={(file) => { setKept(file); close(); }} />}
      {asking === "anew" && <AnewDialog noKeyring={status.state === "missing"} onClose={close} onBegun={(file) => { setKept(file); close(); }} />}
    </>
  );
}

/** What opens the vault, and where it does not: why, and each way on. */
function Keeper({ status, onPassphrase, onAnew }: { status: VaultStatus; onPassphrase(): void; onAnew(): void }) {
  const { t } = useTranslation("settings");
  const retry = useVaultCall(() => call("vault.retry", {}));
  const toKeyring = useVaultCall(() => call("vault.useKeyring", {}), t("vault.keyringUsed"));
  // Where nothing was encrypted yet, a passphrase can take the keyring's place; else only the key itself can.
  const empty = (status.names ?? []).length + (status.damaged ?? []).length === 0;
  const failed = retry.error ?? toKeyring.error;
  const again = <Button kind="main" busy={retry.isPending} onClick={() => retry.mutate(undefined)}>{t("vault.again")}</Button>;
  const other = empty ? <Button onClick={onPassphrase}>{t("vault.usePassphrase")}</Button> : <Button onClick={onAnew}>{t("vault.anew")}</Button>;
  switch (status.state) {
    case "ready":
      return (
        <>
          <Group>
            <GroupRow icon={KeyRound} title={t(status.hasPassphrase ? "vault.passphrase" : "vault.keyring")} note={t(status.hasPassphrase ? "vault.passphraseNote" : "vault.keyringNote")}>
              <Chip tone="good" icon={Check}>{t("vault.open")}</Chip>
              {status.hasPassphrase && <Button small busy={toKeyring.isPending} onClick={() => toKeyring.mutate(undefined)}>{t("vault.useKeyring")}</Button>}
              <Button small onClick={onPassphrase}>{t(status.hasPassphrase ? "vault.changePassphrase" : "vault.usePassphrase")}</Button>
            </GroupRow>
          </Group>
          {failed && <ProblemView problem={problemOf(failed)} />}
        </>
      );
    case "passphrase":
      return <UnlockForm onAnew={onAnew} />;
    case "locked":
      return <Stands icon={Lock} title={t("vault.locked")} note={t("vault.lockedNote")} failed={failed} acts={<>{again}{other}</>} />;
    case "missing":
      return (
        <Stands icon={TriangleAlert} title={t("vault.missing")} note={t(empty ? "vault.missingNote" : "vault.missingKeyNote")} failed={failed}
          acts={empty ? <><Button kind="main" onClick={onPassphrase}>{t("vault.usePassphrase")}</Button><Button busy={retry.isPending} onClick={() => retry.mutate(undefined)}>{t("vault.again")}</Button></> : <>{again}{other}</>} />
      );
    case "slow":
      return <Stands icon={TriangleAlert} title={t("vault.slow")} note={t(empty ? "vault.slowNote" : "vault.slowKeyNote")} failed={failed} acts={<>{again}{other}</>} />;
    case "broken":
      return status.words ? <ProblemView problem={status.words} actions={<><Button small busy={retry.isPending} onClick={() => retry.mutate(undefined)}>{t("vault.again")}</Button><Button small onClick={onAnew}>{t("vault.anew")}</Button></>} /> : null;
  }
}

/** Why the vault is not open, in the page's own words: what the core says sends to this page. */
function Stands({ icon, title, note, failed, acts }: { icon: LucideIcon; title: string; note: string; failed: Error | null; acts: ReactNode }) {
  const { t } = useTranslation("settings");
  // The same state again is no news.
  const problem = failed && problemOf(failed);
  const news = problem && !/^vault\.(locked|dismissed|no-keyring|slow)$/.test(problem.code);
  return (
    <>
      <Group>
        <div className={css.stands}>
          <GroupRow icon={icon} title={title} note={note}><Chip tone="warn">{t("vault.closed")}</Chip></GroupRow>
          <div className={css.standsFoot}>{acts}</div>
        </div>
      </Group>
      {news && <ProblemView problem={problem} />}
    </>
  );
}

function UnlockForm({ onAnew }: { onAnew(): void }) {
  const { t } = useTranslation("settings");
  const [phrase, setPhrase] = useState("");
  const unlock = useVaultCall((passphrase: string) => call("vault.unlock", { passphrase }), t("vault.unlocked"));
  const failed = unlock.error && !unlock.isPending ? problemOf(unlock.error) : undefined;
  const wrong = failed?.code === "vault.wrong-passphrase" && phrase === unlock.variables;
  return (
    <>
      <Group>
        <div className={css.stands}>
          <GroupRow icon={Lock} title={t("vault.type")} note={t("vault.typeNote")}><Chip tone="warn">{t("vault.closed")}</Chip></GroupRow>
          <form className={css.standsForm} onSubmit={(event) => {
            event.preventDefault();
            if (phrase !== "") unlock.mutate(phrase);
          }}>
            <Field label={t("vault.phrase")} fault={wrong ? problemText(failed).what : undefined}><SecretInput value={phrase} onChange={setPhrase} /></Field>
            <div className={css.foot}>
              <span><Button kind="quiet" className={css.flush} onClick={onAnew}>{t("vault.forgotten")}</Button></span>
              <Button kind="main" type="submit" busy={unlock.isPending} disabled={phrase === ""}>{t("vault.unlock")}</Button>
            </div>
          </form>
        </div>
      </Group>
      {failed && failed.code !== "vault.wrong-passphrase" && <ProblemView problem={failed} />}
    </>
  );
}

/** One secret. Its value is asked for, shown for a moment, and kept nowhere in the window. */
function Secret({ one, open }: { one: VaultName; open: boolean }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const format = useFormats();
  const [asking, setAsking] = useState<"replace" | "remove">();
  const [value, setValue] = useState<string>();
  const [left, setLeft] = useState(inSight);
  const reveal = useMutation({
    mutationFn: () => call("vault.reveal", { name: one.name }),
    onSuccess({ value }) {
      setValue(value);
      setLeft(inSight);
    },
    onError: sayFailed,
  });
  const remove = useVaultCall(() => call("vault.remove", { name: one.name }), t("vault.removed", { name: one.label }));
  useEffect(() => {
    if (value === undefined) return;
    if (left <= 0) return setValue(undefined);
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [value, left]);
  const kind = one.kind === "model" || one.kind === "setting" ? one.kind : "own";
  const copy = () => void copyText(value ?? "").then((done) => toast(done ? { tone: "good", text: common("copied") } : { tone: "bad", text: common("notCopied") }));
  return (
    <GroupRow icon={icons[kind]} title={one.label}
      note={<>
        {t(`vault.of.${kind}`, { name: one.usedBy ?? "" })}{` · ${format.bytes(one.bytes)}`}
        {value !== undefined && <div className={css.revealed}><code>{value}</code><span>{t("vault.shown", { seconds: left })}</span></div>}
      </>}>
      {value !== undefined && <IconButton small icon={Copy} label={t("vault.copyValue", { name: one.label })} onClick={copy} />}
      <IconButton small icon={value === undefined ? Eye : EyeOff} label={t(value === undefined ? "vault.reveal" : "vault.conceal", { name: one.label })} aria-pressed={value !== undefined} disabled={!open}
        onClick={() => (value === undefined ? reveal.mutate() : setValue(undefined))} />
      <Menu trigger={<IconButton small icon={MoreHorizontal} label={t("vault.more", { name: one.label })} disabled={!open} />}
        items={[{ label: t("vault.replace"), onSelect: () => setAsking("replace") }, { label: t("vault.remove"), danger: true, onSelect: () => setAsking("remove") }]} />
      {asking === "replace" && <ReplaceDialog one={one} onClose={() => setAsking(undefined)} onDone={() => setValue(undefined)} />}
      <ConfirmDialog open={asking === "remove"} onClose={() => setAsking(undefined)} title={t("vault.removeTitle", { name: one.label })} confirm={t("vault.removeConfirm")} busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onError: sayFailed, onSettled: () => setAsking(undefined) })}>
        <p>{t(`vault.removeNote.${kind}`, { name: one.usedBy ?? "" })} {t("vault.removeLast")}</p>
      </ConfirmDialog>
    </GroupRow>
  );
}
