import { ADDITIONAL_PROPERTY_FLAG, canExpand, getSchemaType, type ArrayFieldItemTemplateProps, type ArrayFieldTemplateProps, type CyclicSchemaExpandProps, type FieldTemplateProps, type IconButtonProps, type MultiSchemaFieldTemplateProps, type ObjectFieldTemplateProps, type TemplatesType } from "@rjsf/utils";
import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button, Field, IconButton, Input } from "../kit";
import css from "./form.module.css";
import { humanise } from "./words";

/** An item of a list: the last step of its path is a number. */
const placeIn = (path: readonly (string | number)[]): number | undefined => {
  const last = path.at(-1);
  return typeof last === "number" ? last + 1 : undefined;
};

function FieldTemplate(props: FieldTemplateProps) {
  const { t } = useTranslation("forms");
  const { id, label, children, rawDescription, rawErrors, required, hidden, schema, displayLabel, fieldPathId, readonly, disabled, onKeyRenameBlur, onRemoveProperty } = props;
  if (hidden || "const" in schema) return null;
  if (fieldPathId.path.length === 0) return children;
  const type = getSchemaType(schema);
  const item = placeIn(fieldPathId.path);
  const title = item !== undefined && !schema.title ? t("item", { number: item }) : schema.title ? label : humanise(label);
  const mark = required && item === undefined ? t("required") : undefined;
  const isContainer = (type === "object" && !schema.oneOf && !schema.anyOf) || (type === "array" && !displayLabel);
  let body;
  if (type === "boolean" && !schema.enum && !schema.oneOf) {
    body = (
      <div>
        <div className={css.switchRow}>
          <div>
            <label htmlFor={id}>{title}</label>
            {rawDescription && <span className={css.hint}>{rawDescription}</span>}
          </div>
          {children}
        </div>
        {rawErrors?.map((error) => <p key={error} className={css.fault}>{error}</p>)}
      </div>
    );
  } else if (isContainer) {
    body = (
      <div>
        {children}
        {rawErrors?.map((error) => <p key={error} className={css.fault}>{error}</p>)}
      </div>
    );
  } else {
    body = <Field id={id} label={title} hint={rawDescription || undefined} mark={mark} fault={[...new Set(rawErrors)]}>{children}</Field>;
  }
  if (!(ADDITIONAL_PROPERTY_FLAG in schema)) return body;
  return (
    <div className={css.pair}>
      <Field label={t("additionalKey")} id={`${id}-key`}><Input key={label} defaultValue={label} onBlur={onKeyRenameBlur} disabled={disabled || readonly} /></Field>
      {body}
      <IconButton icon={X} label={t("remove")} onClick={onRemoveProperty} disabled={disabled || readonly} />
    </div>
  );
}

function ObjectFieldTemplate(props: ObjectFieldTemplateProps) {
  const { t } = useTranslation("forms");
  const { title, description, properties, fieldPathId, required, schema, uiSchema, formData, onAddProperty, disabled, readonly } = props;
  const pureUnion = (schema.oneOf ?? schema.anyOf) && !schema.properties && properties.length === 0;
  if (pureUnion) return null;
  const add = canExpand(schema, uiSchema, formData) && (
    <Button kind="quiet" small icon={Plus} className={css.add} onClick={onAddProperty} disabled={disabled || readonly}>{t("add")}</Button>
  );
  if (fieldPathId.path.length === 0) {
    return <div className={css.fields}>{properties.map((property) => property.content)}{add}</div>;
  }
  const item = placeIn(fieldPathId.path);
  const name = item !== undefined && !schema.title ? t("item", { number: item }) : schema.title ? title : humanise(title);
  return (
    <div className={css.nested} role="group" aria-label={name}>
      <header>
        <b>{name}</b>
        {description && <span className={css.hint}>{description}</span>}
        {required && item === undefined && <span className={css.mark}>{t("required")}</span>}
      </header>
      {properties.map((property) => property.content)}
      {add}
    </div>
  );
}

function ArrayFieldTemplate(props: ArrayFieldTemplateProps) {
  const { t } = useTranslation("forms");
  const { title, items, canAdd, onAddClick, required, schema, disabled, readonly } = props;
  const name = schema.title ? title : humanise(title);
  return (
    <div className={css.nested} role="group" aria-label={name}>
      <header>
        <b>{name}</b>
        {schema.description && <span className={css.hint}>{schema.description}</span>}
        {required && <span className={css.mark}>{t("required")}</span>}
      </header>
      {items}
      {canAdd && <Button small icon={Plus} className={css.add} onClick={onAddClick} disabled={disabled || readonly}>{t("add")}</Button>}
    </div>
  );
}

function ArrayFieldItemTemplate({ children, buttonsProps, index, hasToolbar }: ArrayFieldItemTemplateProps) {
  const { t } = useTranslation("forms");
  const { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem, disabled, readonly } = buttonsProps;
  const off = disabled || readonly;
  return (
    <div className={css.item}>
      <div>{children}</div>
      {hasToolbar && (
        <div className={css.tools}>
          {(hasMoveUp || hasMoveDown) && <IconButton small icon={ArrowUp} label={t("moveUp")} disabled={off || !hasMoveUp} onClick={onMoveUpItem} />}
          {(hasMoveUp || hasMoveDown) && <IconButton small icon={ArrowDown} label={t("moveDown")} disabled={off || !hasMoveDown} onClick={onMoveDownItem} />}
          {hasRemove && <IconButton small icon={X} label={t("removeItem", { number: index + 1 })} disabled={off} onClick={onRemoveItem} />}
        </div>
      )}
    </div>
  );
}

function MultiSchemaFieldTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className={css.fields}>
      {selector}
      {optionSchemaField}
    </div>
  );
}

function CyclicSchemaExpandTemplate({ onExpand, fieldPathId, name }: CyclicSchemaExpandProps) {
  const { t } = useTranslation("forms");
  return <Button small icon={Plus} className={css.add} onClick={() => onExpand(fieldPathId.$id)}>{`${t("add")}: ${humanise(name)}`}</Button>;
}

const Nothing = () => null;

/** Clears an optional group; the only button of rjsf's own that is still drawn. */
function ClearButton({ onClick, disabled }: IconButtonProps) {
  const { t } = useTranslation("forms");
  return <IconButton small icon={X} label={t("remove")} onClick={onClick} disabled={disabled} />;
}

export const templates: Partial<Omit<TemplatesType, "ButtonTemplates">> & { ButtonTemplates: Partial<TemplatesType["ButtonTemplates"]> } = {
  FieldTemplate, ObjectFieldTemplate, ArrayFieldTemplate, ArrayFieldItemTemplate, MultiSchemaFieldTemplate, CyclicSchemaExpandTemplate,
  ErrorListTemplate: Nothing, FieldErrorTemplate: Nothing, FieldHelpTemplate: Nothing, DescriptionFieldTemplate: Nothing,
  ButtonTemplates: { SubmitButton: Nothing, ClearButton, RemoveButton: ClearButton },
};
