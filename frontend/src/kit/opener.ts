/** Where the focus was before something opened over the page: the way back when it closes. */

/** What floats and goes away by itself is no place to come back to. */
const floats = '[role="menu"], [role="listbox"], [role="dialog"], [role="tooltip"], [data-radix-popper-content-wrapper]';

let last: HTMLElement | undefined;

if (typeof document !== "undefined") {
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target !== document.body && !target.closest(floats)) last = target;
  });
}

/** What has the focus now; from a menu, what opened the menu. */
export function openerNow(): HTMLElement | undefined {
  const now = document.activeElement;
  if (!(now instanceof HTMLElement) || now === document.body) return last;
  return now.closest('[role="menu"], [role="listbox"]') ? last : now;
}

/** Gives the focus back, or to the last place on the page that is still there. */
export function giveBack(opener: HTMLElement | undefined): void {
  const place = opener?.isConnected ? opener : last?.isConnected ? last : undefined;
  place?.focus();
}
