import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, problemOf, type VaultName } from "../host";
import { keys, useClient } from "../host/queries";
import { Button, Dialog, Field, Grow, ProblemView, Segmented, toast } from "../kit";
import { SecretInput } from "./secret";
import css from "./settings.module.css";

/** As the core has it. */
const minChars = 8;

/** What is wrong with a passphrase that is typed twice; nothing while there is too little of it to say. */
export function phraseFaults(phrase: string, again: string): { phrase?: "tooShort"; again?: "notSame"; good: boolean } {
  const short = [...phrase.trim()].length < minChars;
  const good = !short && phrase === again;
  return { good, phrase: short && again !== "" ? "tooShort" : undefined, again: phrase.startsWith(again) ? undefined : "notSame" };
}

function PhraseFields({ phrase, again, onPhrase, onAgain }: { phrase: string; again: string; onPhrase(text: string): void; onAgain(text: string): void }) {
  const { t } = useTranslation("settings");
  const faults = phraseFaults(phrase, again);
  return (
    <>
      <Field label={t("vault.phrase")} below={t("vault.phraseHint")} fault={faults.phrase && t(`vault.${faults.phrase}`)}><SecretInput first value={phrase} onChange={onPhrase} /></Field>
      <Field label={t("vault.phraseAgain")} below={t("vault.phraseLost")} fault={faults.again && t(`vault.${faults.again}`)}><SecretInput value={again} onChange={onAgain} /></Field>
    </>
  );
}

function useAnew(onBegun: (kept: string) => void) {
  const { t } = useTranslation("settings");
  const client = useClient();
  return useMutation({
    mutationFn: (passphrase: string) => call("vault.startAnew", { passphrase }),
    onSuccess({ kept }) {
      toast({ tone: "good", text: t("vault.begun") });
      onBegun(kept);
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.vault }),
  });
}

/** A passphrase in the keyring's place, or in another's. */
export function PassphraseDialog({ change, onClose, onAnew }: { change: boolean; onClose(): void; onAnew(kept: string): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const client = useClient();
  const [phrase, setPhrase] = useState("");
  const [again, setAgain] = useState("");
  const { good } = phraseFaults(phrase, again);
  const set = useMutation({
    mutationFn: () => call("vault.setPassphrase", { passphrase: phrase }),
    onSuccess() {
      toast({ tone: "good", text: t("vault.passphraseSet") });
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.vault }),
  });
  const anew = useAnew(onAnew);
  const failed = anew.error ?? set.error;
  const busy = set.isPending || anew.isPending;
  return (
    <Dialog open onClose={onClose} stays={busy} size="small" title={t(change ? "vault.changeTitle" : "vault.setTitle")}
      foot={<><Grow /><Button onClick={onClose}>{common("cancel")}</Button><Button kind="main" type="submit" form="passphrase" busy={busy} disabled={!good}>{t("vault.set")}</Button></>}>
      <form id="passphrase" className={css.fieldset} onSubmit={(event) => {
        event.preventDefault();
        if (good && !busy) set.mutate();
      }}>
        <PhraseFields phrase={phrase} again={again} onPhrase={setPhrase} onAgain={setAgain} />
        {failed && !busy && (
          <ProblemView problem={problemOf(failed)} actions={problemOf(failed).code === "vault.out-of-reach" && <Button small onClick={() => anew.mutate(phrase)}>{t("vault.anewConfirm")}</Button>} />
        )}
      </form>
    </Dialog>
  );
}

/** An empty vault in the place of one that cannot be opened any more. */
export function AnewDialog({ noKeyring, onClose, onBegun }: { noKeyring: boolean; onClose(): void; onBegun(kept: string): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const [keeper, setKeeper] = useState<"keyring" | "passphrase">(noKeyring ? "passphrase" : "keyring");
  const [phrase, setPhrase] = useState("");
  const [again, setAgain] = useState("");
  const anew = useAnew(onBegun);
  const good = keeper === "keyring" || phraseFaults(phrase, again).good;
  return (
    <Dialog open onClose={onClose} stays={anew.isPending} size="small" title={t("vault.anewTitle")} description={t("vault.anewNote")}
      foot={<><Grow /><Button onClick={onClose}>{common("cancel")}</Button><Button kind="danger" type="submit" form="anew" busy={anew.isPending} disabled={!good}>{t("vault.anewConfirm")}</Button></>}>
      <form id="anew" className={css.fieldset} onSubmit={(event) => {
        event.preventDefault();
        if (good && !anew.isPending) anew.mutate(keeper === "passphrase" ? phrase : "");
      }}>
        <div className={css.labelled}>
          <span>{t("vault.anewKeeper")}</span>
          <Segmented label={t("vault.anewKeeper")} value={keeper} onChange={(next) => setKeeper(next)} choices={[{ value: "keyring", label: t("vault.anewKeyring") }, { value: "passphrase", label: t("vault.anewPassphrase") }] as const} />
        </div>
        {keeper === "passphrase" && <PhraseFields phrase={phrase} again={again} onPhrase={setPhrase} onAgain={setAgain} />}
        {anew.error && !anew.isPending && <ProblemView problem={problemOf(anew.error)} />}
      </form>
    </Dialog>
  );
}

/** Another value under the same name. */
export function ReplaceDialog({ one, onClose, onDone }: { one: VaultName; onClose(): void; onDone(): void }) {
  const { t } = useTranslation("settings");
  const { t: common } = useTranslation("common");
  const client = useClient();
  const [value, setValue] = useState("");
  const replace = useMutation({
    mutationFn: () => call("vault.set", { name: one.name, value }),
    onSuccess() {
      toast({ tone: "good", text: t("vault.replaced", { name: one.label }) });
      onDone();
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.vault }),
  });
  return (
    <Dialog open onClose={onClose} stays={replace.isPending} size="small" title={t("vault.replaceTitle", { name: one.label })}
      foot={<><Grow /><Button onClick={onClose}>{common("cancel")}</Button><Button kind="main" type="submit" form="replace" busy={replace.isPending} disabled={value === ""}>{t("vault.replaceConfirm")}</Button></>}>
      <form id="replace" className={css.fieldset} onSubmit={(event) => {
        event.preventDefault();
        if (value !== "" && !replace.isPending) replace.mutate();
      }}>
        <Field label={t("vault.value")} below={t("vault.valueNote")}><SecretInput first value={value} onChange={setValue} /></Field>
        {replace.error && !replace.isPending && <ProblemView problem={problemOf(replace.error)} />}
      </form>
    </Dialog>
  );
}
