import { ErrorSchemaBuilder, toErrorList, type ErrorSchema, type RJSFSchema, type ValidatorType } from "@rjsf/utils";
import type { TFunction } from "i18next";
import { faultsOf, type JsonSchema } from "./faults";
import { wordsFor } from "./words";

const draftRoots = new WeakMap<object, WeakMap<object, JsonSchema>>();

/** A part of a schema with the definitions of its root, so that its references lead somewhere. */
function withRoot(schema: RJSFSchema, root: RJSFSchema): JsonSchema {
  if (schema === root) return schema as JsonSchema;
  const byPart = draftRoots.get(root) ?? new WeakMap<object, JsonSchema>();
  draftRoots.set(root, byPart);
  let whole = byPart.get(schema);
  if (!whole) {
    const { definitions, $defs, $schema } = root as JsonSchema;
    whole = { ...(definitions ? { definitions } : {}), ...($defs ? { $defs } : {}), ...($schema ? { $schema } : {}), ...schema };
    byPart.set(schema, whole);
  }
  return whole;
}

/** Checks without generated code, which the page's policy forbids, and speaks the person's language. */
export function validatorIn(t: TFunction<"forms">): ValidatorType {
  return {
    isValid: (schema, value, root) => faultsOf(withRoot(schema, root), value).length === 0,
    rawValidation: (schema, value) => ({ errors: faultsOf(schema as JsonSchema, value) as never[] }),
    validateFormData(value, schema) {
      const builder = new ErrorSchemaBuilder();
      for (const fault of faultsOf(schema as JsonSchema, value)) builder.addErrors(wordsFor(fault, t), fault.path as never);
      const errorSchema = builder.ErrorSchema as ErrorSchema;
      return { errors: toErrorList(errorSchema), errorSchema };
    },
  };
}
