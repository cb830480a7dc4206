import Form, { type IChangeEvent } from "@rjsf/core";
import { ErrorSchemaBuilder, TranslatableString, type ErrorSchema, type RJSFSchema } from "@rjsf/utils";
import { Play } from "lucide-react";
import { Component, useId, useMemo, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Issue } from "../host";
import { Button, Field, TextArea } from "../kit";
import { drawable } from "./drawable";
import css from "./form.module.css";
import { templates } from "./templates";
import { validatorIn } from "./validator";
import { JsonField, widgets } from "./widgets";
import { stepsOf } from "./words";

export interface ToolFormProps {
  /** The tool's JSON Schema, as its author wrote it. */
  schema: unknown;
  value?: Record<string, unknown>;
  /** What the core found in the last arguments, shown at their fields. */
  problems?: readonly Issue[] | null;
  busy?: boolean;
  submitLabel?: string;
  /** What stands at the left of the buttons: what the tool touches. */
  footer?: ReactNode;
  onSubmit(args: Record<string, unknown>): void;
  onCancel?(): void;
}

const fields = { FallbackField: JsonField };

/** What is no object of fields is treated as one without any: the core has the last word. */
export function formSchemaOf(schema: unknown): RJSFSchema {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return { type: "object", properties: {} };
  const { title: _title, description: _description, ...rest } = schema as RJSFSchema;
  return rest.type === undefined && !rest.$ref ? { type: "object", ...rest } : rest;
}

const isEmpty = (schema: RJSFSchema): boolean =>
  Object.keys(schema.properties ?? {}).length === 0 && !schema.$ref && !schema.oneOf && !schema.anyOf && !schema.allOf && !schema.additionalProperties && !schema.patternProperties;

export function ToolForm({ schema, value, problems, busy = false, submitLabel, footer, onSubmit, onCancel }: ToolFormProps) {
  const { t } = useTranslation("forms");
  const { t: common } = useTranslation("common");
  const prefix = useId().replaceAll(":", "");
  const form = useRef<Form>(null);
  const [data, setData] = useState<unknown>(value ?? {});
  const [tried, setTried] = useState(false);
  const shape = useMemo(() => drawable(formSchemaOf(schema)) as RJSFSchema, [schema]);
  // A schema that can't be drawn is asked for as it would be sent.
  const [raw, setRaw] = useState<string>();
  const [rawFault, setRawFault] = useState("");
  const validator = useMemo(() => validatorIn(t), [t]);
  const { extra, rest } = useMemo(() => placed(problems ?? [], shape), [problems, shape]);
  const empty = isEmpty(shape);

  const submit = () => {
    setTried(true);
    if (busy) return;
    if (raw === undefined) return form.current?.submit();
    try {
      onSubmit((raw.trim() === "" ? {} : JSON.parse(raw)) as Record<string, unknown>);
      setRawFault("");
    } catch {
      setRawFault(t("badJson"));
    }
  };

  return (
    <div className={css.form} data-autofocus={empty || undefined} tabIndex={empty ? -1 : undefined} onKeyDown={(event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        event.stopPropagation();
        submit();
      }
    }}>
      {empty && <p className={css.nothing}>{t("noArguments")}</p>}
      {raw !== undefined && <Field label={t("arguments")} hint={t("json")} fault={rawFault}><TextArea mono value={raw} onChange={(event) => setRaw(event.target.value)} /></Field>}
      <Drawn onFail={() => setRaw(JSON.stringify(value ?? {}, null, 2))}><Form ref={form} schema={shape} formData={data} idPrefix={prefix} validator={validator} widgets={widgets} fields={fields} templates={templates as never}
        noHtml5Validate showErrorList={false} focusOnFirstError liveValidate={tried ? "onChange" : false} extraErrors={extra} extraErrorsBlockSubmit={false} useFallbackUiForUnsupportedType
        translateString={(name, params) => translated(name, params ?? [], t)}
        experimental_defaultFormStateBehavior={{ emptyObjectFields: "skipEmptyDefaults", arrayMinItems: { populate: "requiredOnly" }, constAsDefaults: "always" }}
        onChange={(event: IChangeEvent) => setData(event.formData as unknown)}
        onError={() => setTried(true)}
        onSubmit={(event: IChangeEvent) => onSubmit((event.formData ?? {}) as Record<string, unknown>)} /></Drawn>
      {rest.length > 0 && <ul className={css.rest} role="alert">{rest.map((issue, n) => <li key={n}>{issue.place ? `${issue.place}: ` : ""}{issue.what}</li>)}</ul>}
      <div className={css.foot}>
        <span className={css.lead}>{footer}</span>
        {onCancel && <Button kind="quiet" onClick={onCancel}>{common("cancel")}</Button>}
        <Button kind="main" icon={Play} busy={busy} onClick={submit} aria-keyshortcuts="Control+Enter">{submitLabel ?? common("run")}</Button>
      </div>
    </div>
  );
}

/** Keeps a schema that the form library fails on from taking more with it than the fields. */
class Drawn extends Component<{ children: ReactNode; onFail(): void }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override componentDidCatch(): void {
    this.props.onFail();
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}

/** Parts the core's issues into those that a field can show, and the rest. */
function placed(issues: readonly Issue[], schema: RJSFSchema): { extra?: ErrorSchema; rest: Issue[] } {
  const builder = new ErrorSchemaBuilder();
  const rest: Issue[] = [];
  let any = false;
  for (const issue of issues) {
    const steps = stepsOf(issue.place);
    if (steps.length === 0 || !(String(steps[0]) in (schema.properties ?? {}))) {
      rest.push(issue);
      continue;
    }
    builder.addErrors(issue.what, steps as never);
    any = true;
  }
  return { extra: any ? (builder.ErrorSchema as ErrorSchema) : undefined, rest };
}

function translated(name: TranslatableString, params: readonly string[], t: ReturnType<typeof useTranslation<"forms">>["t"]): string {
  switch (name) {
    case TranslatableString.YesLabel:
      return t("yes");
    case TranslatableString.NoLabel:
      return t("no");
    case TranslatableString.OptionPrefix:
      return t("variantNumber", { number: params[0] ?? "" });
    case TranslatableString.TitleOptionPrefix:
      return t("variantNumber", { number: params[1] ?? "" });
    case TranslatableString.ArrayItemTitle:
      return t("variant");
    case TranslatableString.NewStringDefault:
      return "";
    default:
      return params.reduce((text, param, n) => text.replace(`%${n + 1}`, param), String(name));
  }
}
