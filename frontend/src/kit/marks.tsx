import type { LucideIcon } from "lucide-react";
import type { CSSProperties, ReactNode } from "react";
import { cx } from "./cx";
import css from "./marks.module.css";

export type Tone = "plain" | "good" | "warn" | "bad" | "accent";

export function Chip({ tone = "plain", icon: Icon, children }: { tone?: Tone; icon?: LucideIcon; children: ReactNode }) {
  return (
    <span className={cx(css.chip, tone !== "plain" && css[tone])}>
      {Icon && <Icon aria-hidden />}
      <span>{children}</span>
    </span>
  );
}

/** How many tile colours the tokens have. */
const tiles = 7;

/** The same colour for the same id, for ever: FNV-1a over its characters. */
export function tileOf(id: string): number {
  let hash = 0x811c9dc5;
  for (const char of id) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return (hash % tiles) + 1;
}

/** The first letter or digit of a name; what has none shows its first character. */
export function letterOf(name: string): string {
  const found = /[\p{L}\p{N}]/u.exec(name)?.[0] ?? [...name][0] ?? "?";
  return found.toLocaleUpperCase();
}

export function IconTile({ id, name, small }: { id: string; name: string; small?: boolean }) {
  const style: CSSProperties = { background: `var(--tile-${tileOf(id)})` };
  return <span className={cx(css.tile, small && css.small)} style={style} aria-hidden>{letterOf(name)}</span>;
}

const macKeys: Record<string, string> = { Mod: "⌘", Shift: "⇧", Alt: "⌥", Enter: "↩", Ctrl: "⌃" };
const mac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** A shortcut as this system writes it: "Mod+Shift+T" is "Ctrl Shift T" or "⇧⌘T". */
export function keysOf(shortcut: string, onMac = mac): string {
  const keys = shortcut.split("+").map((key) => (key === "" ? "+" : key));
  if (onMac) return keys.map((key) => macKeys[key] ?? key).join("");
  return keys.map((key) => (key === "Mod" ? "Ctrl" : key)).join(" ");
}

export function Kbd({ keys }: { keys: string }) {
  return <kbd className={css.kbd}>{keysOf(keys)}</kbd>;
}

/** The pediment over four columns. */
export function Mark({ className, title, size }: { className?: string; title?: string; size?: number }) {
  return (
    <svg viewBox="0 0 24 24" style={size === undefined ? undefined : { width: size, height: size }} className={cx(css.mark, className)} role={title ? "img" : undefined} aria-label={title} aria-hidden={title ? undefined : true}>
      <path d="M3 9 12 3l9 6z" />
      <path d="M5.5 9v9M9.8 9v9M14.2 9v9M18.5 9v9M3 20.5h18" />
    </svg>
  );
}
