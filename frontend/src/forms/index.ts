/** A tool's arguments as a form, drawn from its JSON Schema. */
export { ToolForm, type ToolFormProps } from "./tool-form";
export { humanise } from "./words";
