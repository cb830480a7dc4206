import type { Field as RjsfField, FieldProps, RegistryWidgetsType, WidgetProps } from "@rjsf/utils";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, Input, Segmented, Select, Switch, TextArea, useField } from "../kit";
import css from "./form.module.css";
import { humanise, isLong, isSecret } from "./words";

/** Choices that stand side by side rather than in a list: at most so many, and so many characters together. */
const maxSegments = 4;
const maxSegmentChars = 36;

const orNothing = (text: string): string | undefined => (text === "" ? undefined : text);

function Text(props: WidgetProps) {
  const { schema, value, onChange, disabled, readonly, placeholder, autofocus } = props;
  const name = String(props.name);
  const text = value === undefined || value === null ? "" : String(value as string | number);
  const common = { value: text, disabled, readOnly: readonly, placeholder: placeholder ?? exampleOf(schema), autoFocus: autofocus };
  const numeric = schema.type === "number" || schema.type === "integer";
  if (isSecret(name, schema)) return <Secret {...props} />;
  if (!numeric && (isLong(name, schema) || text.includes("\n"))) return <TextArea {...common} onChange={(event) => onChange(orNothing(event.target.value))} />;
  return <Input {...common} inputMode={schema.type === "integer" ? "numeric" : numeric ? "decimal" : undefined} onChange={(event) => onChange(orNothing(event.target.value))} />;
}

function exampleOf(schema: WidgetProps["schema"]): string | undefined {
  const first = Array.isArray(schema.examples) ? (schema.examples as unknown[])[0] : undefined;
  return typeof first === "string" || typeof first === "number" ? String(first) : undefined;
}

function Area({ value, onChange, disabled, readonly, placeholder }: WidgetProps) {
  return <TextArea value={String((value as string | undefined) ?? "")} disabled={disabled} readOnly={readonly} placeholder={placeholder} onChange={(event) => onChange(orNothing(event.target.value))} />;
}

function Secret({ value, onChange, disabled, readonly }: WidgetProps) {
  const { t } = useTranslation("forms");
  const [shown, setShown] = useState(false);
  return (
    <div className={css.secret}>
      <Input type={shown ? "text" : "password"} autoComplete="new-password" value={String((value as string | undefined) ?? "")} disabled={disabled} readOnly={readonly} onChange={(event) => onChange(orNothing(event.target.value))} />
      <Button aria-pressed={shown} onClick={() => setShown(!shown)}>{shown ? t("hide") : t("show")}</Button>
    </div>
  );
}

const typed = (type: "date" | "time" | "email" | "url") =>
  function Typed({ value, onChange, disabled, readonly, schema }: WidgetProps) {
    return <Input type={type} value={String((value as string | undefined) ?? "")} disabled={disabled} readOnly={readonly} placeholder={exampleOf(schema)} onChange={(event) => onChange(orNothing(event.target.value))} />;
  };

/** The picker gives local time; the schema wants an instant. */
export const instantOf = (local: string): string | undefined => {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

export const localOf = (instant: string): string => {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return "";
  const two = (n: number) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
};

function Instant({ value, onChange, disabled, readonly }: WidgetProps) {
  return <Input type="datetime-local" value={localOf(String((value as string | undefined) ?? ""))} disabled={disabled} readOnly={readonly} onChange={(event) => onChange(instantOf(event.target.value))} />;
}

/** One of several values of any type: the control carries their places in the list. */
function Choice({ id, value, options, onChange, label, disabled, readonly, required, multiple, rawErrors }: WidgetProps) {
  const { t } = useTranslation("forms");
  const field = useField();
  const all = options.enumOptions ?? [];
  if (multiple) return <Checks {...({ id, value, options, onChange, label, disabled, readonly } as WidgetProps)} />;
  const choices = all.map((option, n) => ({ value: String(n), label: said(option.label, option.value) }));
  const chosen = all.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value));
  const pick = (place: string) => onChange(place === "none" ? undefined : (all[Number(place)]?.value as unknown));
  const current = chosen < 0 ? undefined : String(chosen);
  const short = choices.length <= maxSegments && choices.reduce((sum, choice) => sum + choice.label.length, 0) <= maxSegmentChars;
  if (short && choices.length > 1) return <Segmented id={field?.id ?? id} value={current} choices={choices} label={humanise(label)} disabled={disabled || readonly} onChange={pick} />;
  const offered = required || current === undefined ? choices : [{ value: "none", label: t("unset") }, ...choices];
  return <Select id={field?.id ?? id} value={current} choices={offered} placeholder={t("choose")} wide broken={(rawErrors?.length ?? 0) > 0} disabled={disabled || readonly} onChange={pick} describedBy={field?.describedBy} />;
}

/** A label that rjsf made from the value is the value itself; others are the author's. */
const said = (label: string, value: unknown): string => (label === "" ? JSON.stringify(value) : label);

function Checks({ id, value, options, onChange, disabled, readonly }: WidgetProps) {
  const chosen = Array.isArray(value) ? (value as unknown[]) : [];
  const has = (one: unknown) => chosen.some((other) => JSON.stringify(other) === JSON.stringify(one));
  return (
    <div className={css.checks} role="group" id={id}>
      {(options.enumOptions ?? []).map((option) => (
        <label key={option.label} className={css.check}>
          <input type="checkbox" checked={has(option.value)} disabled={disabled || readonly}
            onChange={(event) => onChange((options.enumOptions ?? []).map((other) => other.value as unknown).filter((one) => (JSON.stringify(one) === JSON.stringify(option.value) ? event.target.checked : has(one))))} />
          {said(option.label, option.value)}
        </label>
      ))}
    </div>
  );
}

function Toggle({ id, value, onChange, label, disabled, readonly }: WidgetProps) {
  return <Switch id={id} on={value === true} label={humanise(label)} disabled={disabled || readonly} onChange={onChange} />;
}

function Nothing() {
  return null;
}

export const widgets: RegistryWidgetsType = {
  TextWidget: Text, TextareaWidget: Area, PasswordWidget: Secret, SelectWidget: Choice, RadioWidget: Choice, CheckboxesWidget: Checks, CheckboxWidget: Toggle,
  UpDownWidget: Text, RangeWidget: Text, ColorWidget: Text, FileWidget: Text, DateWidget: typed("date"), TimeWidget: Text, DateTimeWidget: Instant, EmailWidget: typed("email"), URLWidget: typed("url"), HiddenWidget: Nothing,
};

/** For a value of any shape: its JSON, kept as typed while it is not valid yet. */
export const JsonField: RjsfField = function JsonField({ formData, onChange, fieldPathId, disabled, readonly }: FieldProps) {
  const { t } = useTranslation("forms");
  const [text, setText] = useState(() => (formData === undefined ? "" : JSON.stringify(formData, null, 2)));
  const [broken, setBroken] = useState(false);
  const read = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() === "" ? undefined : (JSON.parse(next) as unknown), fieldPathId.path);
      setBroken(false);
    } catch {
      setBroken(true);
      // What can't be read is handed on as text: a plain word is what most people mean by it, and the check says if not.
      onChange(next, fieldPathId.path);
    }
  };
  return (
    <>
      <TextArea mono value={text} placeholder={t("json")} disabled={disabled} readOnly={readonly} onChange={(event) => read(event.target.value)} />
      {broken && /^\s*[[{"]/.test(text) && <p className={css.fault}>{t("badJson")}</p>}
    </>
  );
};
