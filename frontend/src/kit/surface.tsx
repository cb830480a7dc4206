import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./cx";
import { useNoticed } from "./timing";
import css from "./surface.module.css";

/** Rows held together by one hairline box. */
export function Group({ children, label, className }: { children: ReactNode; label?: string; className?: string }) {
  return <div className={cx(css.group, className)} role={label ? "group" : undefined} aria-label={label}>{children}</div>;
}

export interface GroupRowProps {
  icon?: LucideIcon;
  lead?: ReactNode;
  title: ReactNode;
  note?: ReactNode;
  /** What stands at the right: a chip, a switch, a button. */
  children?: ReactNode;
  className?: string;
}

export function GroupRow({ icon: Icon, lead, title, note, children, className }: GroupRowProps) {
  return (
    <div className={cx(css.row, className)}>
      {Icon && <Icon aria-hidden />}
      {lead}
      <div className={css.text}>
        <div className={css.title}>{title}</div>
        {note && <div className={css.note}>{note}</div>}
      </div>
      {children && <div className={css.aside}>{children}</div>}
    </div>
  );
}

/** A heading with what belongs below it. */
export function Section({ title, note, aside, children, id }: { title: string; note?: ReactNode; aside?: ReactNode; children: ReactNode; id?: string }) {
  return (
    <section className={css.section} aria-label={title} id={id}>
      <div className={css.head}><h2>{title}</h2>{aside}</div>
      {children}
      {note && <p className={css.note}>{note}</p>}
    </section>
  );
}

/** Nothing is here yet: why, and what to do next. */
export function EmptyState({ icon: Icon, title, children, actions }: { icon?: LucideIcon; title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className={css.empty}>
      {Icon && <Icon aria-hidden />}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {actions && <div>{actions}</div>}
    </div>
  );
}

/** The place of what is being loaded, drawn only when the wait is noticed. */
export function Skeleton({ lines = 3, label }: { lines?: number; label: string }) {
  const shown = useNoticed(true);
  return (
    <div className={css.skeleton} role="status" aria-label={shown ? label : undefined}>
      {shown && Array.from({ length: lines }, (_, n) => <div key={n} className={css.bone} />)}
    </div>
  );
}

/** A fraction of 0 to 1; null is going on without a known end. */
export function ProgressBar({ fraction, label }: { fraction: number | null; label: string }) {
  const percent = fraction === null ? undefined : Math.round(Math.min(1, Math.max(0, fraction)) * 100);
  return (
    <div className={cx(css.bar, percent === undefined && css.unknown)} role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent}>
      <i style={percent === undefined ? undefined : { width: `${percent}%` }} />
    </div>
  );
}

export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className={css.hidden}>{children}</span>;
}
