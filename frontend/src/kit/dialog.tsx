import { X } from "lucide-react";
import { Dialog as RadixDialog } from "radix-ui";
import { useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "./button";
import { cx } from "./cx";
import { giveBack, openerNow } from "./opener";
import css from "./overlay.module.css";

export interface DialogProps {
  open: boolean;
  onClose(): void;
  title: ReactNode;
  description?: ReactNode;
  /** Before the title: a tile. */
  lead?: ReactNode;
  size?: "small" | "medium" | "large";
  /** As high as the window lets it be, so that it does not jump with its content. */
  tall?: boolean;
  /** Whether Escape and a press beside it close it. */
  stays?: boolean;
  /** Buttons, the main one last. */
  foot?: ReactNode;
  children?: ReactNode;
}

/** Focus goes to the first field, or to the dialog itself: never to a button that does something. */
export function Dialog({ open, onClose, title, description, lead, size = "medium", tall, stays, foot, children }: DialogProps) {
  const { t } = useTranslation("common");
  const content = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLElement>(undefined);
  const hold = (event: Event) => {
    if (stays) event.preventDefault();
  };
  return (
    <RadixDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className={css.scrim} />
        <div className={css.place}>
          <RadixDialog.Content ref={content} className={cx(css.dialog, size !== "medium" && css[size], tall && css.tall)} aria-describedby={description ? undefined : ""}
            onEscapeKeyDown={hold} onPointerDownOutside={hold} onInteractOutside={hold}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              giveBack(opener.current);
            }}
            onOpenAutoFocus={(event) => {
              event.preventDefault();
              opener.current = openerNow();
              const first = content.current?.querySelector<HTMLElement>("[data-autofocus], input:not([type=checkbox]), textarea");
              (first ?? content.current)?.focus();
            }}>
            <div className={css.head}>
              {lead}
              <div>
                <RadixDialog.Title>{title}</RadixDialog.Title>
                {description && <RadixDialog.Description asChild><div>{description}</div></RadixDialog.Description>}
              </div>
              {!foot && <IconButton icon={X} label={t("close")} small onClick={onClose} />}
            </div>
            <div className={css.body}>{children}</div>
            {foot && <div className={css.foot}>{foot}</div>}
          </RadixDialog.Content>
        </div>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** Pushes what follows to the right end of a dialog's foot. */
export const Grow = () => <span className={css.grow} />;

export interface ConfirmDialogProps {
  open: boolean;
  onClose(): void;
  title: string;
  /** What will be lost. */
  children: ReactNode;
  confirm: string;
  busy?: boolean;
  onConfirm(): void;
}

/** For what cannot be undone only. */
export function ConfirmDialog({ open, onClose, title, children, confirm, busy, onConfirm }: ConfirmDialogProps) {
  const { t } = useTranslation("common");
  return (
    <Dialog open={open} onClose={onClose} title={title} size="small"
      foot={<><Grow /><Button onClick={onClose} data-autofocus>{t("cancel")}</Button><Button kind="danger" busy={busy} onClick={onConfirm}>{confirm}</Button></>}>
      {children}
    </Dialog>
  );
}
