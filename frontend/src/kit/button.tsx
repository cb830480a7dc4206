import type { LucideIcon } from "lucide-react";
import type { ComponentPropsWithRef, ReactNode } from "react";
import { cx } from "./cx";
import { Tooltip } from "./menu";
import { useNoticed } from "./timing";
import css from "./button.module.css";

export interface ButtonProps extends Omit<ComponentPropsWithRef<"button">, "children"> {
  kind?: "main" | "plain" | "quiet" | "danger";
  small?: boolean;
  icon?: LucideIcon;
  /** Work is going on: a second press does nothing, and what was noticed as waiting is shown. */
  busy?: boolean;
  children?: ReactNode;
}

export function Button({ kind = "plain", small, icon: Icon, busy = false, className, children, onClick, type = "button", ...rest }: ButtonProps) {
  const shown = useNoticed(busy);
  return (
    <button {...rest} type={type} aria-busy={busy || undefined} onClick={busy ? (event) => event.preventDefault() : onClick}
      className={cx(css.button, kind !== "plain" && css[kind], small && css.small, shown && css.busy, className)}>
      {Icon && <Icon aria-hidden />}
      {children}
      {shown && <span className={css.turning} aria-hidden />}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentPropsWithRef<"button">, "children" | "aria-label"> {
  icon: LucideIcon;
  /** Its name, which is also its tooltip. */
  label: string;
  kind?: "main" | "plain" | "quiet" | "danger";
  small?: boolean;
}

export function IconButton({ icon: Icon, label, kind = "quiet", small, className, type = "button", ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button {...rest} type={type} aria-label={label} className={cx(css.button, css.icon, kind !== "plain" && css[kind], small && css.small, className)}>
        <Icon aria-hidden />
      </button>
    </Tooltip>
  );
}
