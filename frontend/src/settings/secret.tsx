import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, Input } from "../kit";
import css from "./settings.module.css";

export interface SecretInputProps {
  value: string;
  onChange(value: string): void;
  placeholder?: string;
  /** Where the focus goes when a dialog with it opens. */
  first?: boolean;
}

/** A text that nobody is to read over a shoulder, and that no password store of a browser is to keep. */
export function SecretInput({ value, onChange, placeholder, first }: SecretInputProps) {
  const { t } = useTranslation("settings");
  const [shown, setShown] = useState(false);
  return (
    <div className={css.secret}>
      <Input type={shown ? "text" : "password"} autoComplete="new-password" mono={shown} value={value} placeholder={placeholder} data-autofocus={first || undefined} onChange={(event) => onChange(event.target.value)} />
      <Button aria-pressed={shown} onClick={() => setShown(!shown)}>{shown ? t("vault.hide") : t("vault.show")}</Button>
    </div>
  );
}
