/** The design system: Radix' behaviour, the tokens' look. Nothing here knows the core but for the shape of a Problem. */
export * from "./button";
export * from "./choice";
export { copyText } from "./clipboard";
export { cx } from "./cx";
export * from "./dialog";
export * from "./field";
export * from "./marks";
export * from "./menu";
export { giveBack, openerNow } from "./opener";
export * from "./problem";
export * from "./surface";
export { useNoticed } from "./timing";
export * from "./toast";
