import type { LucideIcon } from "lucide-react";
import { DropdownMenu, Popover as RadixPopover, Tooltip as RadixTooltip } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./cx";
import { keysOf } from "./marks";
import css from "./overlay.module.css";

export interface MenuItem {
  label: string;
  icon?: LucideIcon;
  danger?: boolean;
  disabled?: boolean;
  onSelect(): void;
}

/** A button that opens a list of actions; "line" parts them. */
export function Menu({ trigger, items, align = "end" }: { trigger: ReactElement; items: readonly (MenuItem | "line")[]; align?: "start" | "end" }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={cx(css.pop, css.menu)} align={align} loop sideOffset={4} collisionPadding={8}>
          {items.map((item, n) =>
            item === "line" ? (
              <DropdownMenu.Separator key={n} className={css.line} />
            ) : (
              <DropdownMenu.Item key={item.label} className={cx(css.item, item.danger && css.danger)} disabled={item.disabled} onSelect={item.onSelect}>
                {item.icon && <item.icon aria-hidden />}
                <span>{item.label}</span>
              </DropdownMenu.Item>
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export function Popover({ trigger, label, children }: { trigger: ReactElement; label: string; children: ReactNode }) {
  return (
    <RadixPopover.Root>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content className={cx(css.pop, css.popover)} aria-label={label} sideOffset={4} collisionPadding={8}>{children}</RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}

/** How long the pointer rests before a tooltip appears, in milliseconds. */
const rest = 500;

export function Tooltip({ text, shortcut, children }: { text: string; shortcut?: string; children: ReactElement }) {
  return (
    <RadixTooltip.Provider delayDuration={rest}>
      <RadixTooltip.Root>
        <RadixTooltip.Trigger asChild>{children}</RadixTooltip.Trigger>
        <RadixTooltip.Portal>
          <RadixTooltip.Content className={css.tip} sideOffset={4} collisionPadding={8}>
            {text}
            {shortcut && <kbd>{keysOf(shortcut)}</kbd>}
          </RadixTooltip.Content>
        </RadixTooltip.Portal>
      </RadixTooltip.Root>
    </RadixTooltip.Provider>
  );
}
