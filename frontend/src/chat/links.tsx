import type { ReactNode } from "react";
import { call, problemOf } from "../host";
import { problemText } from "../i18n";
import { toast } from "../kit";

const openable = /^(https?:|mailto:)/i;

export function openLink(url: string): void {
  call("system.openLink", { url }).catch((error: unknown) => toast({ text: problemText(problemOf(error)).what, tone: "bad" }));
}

/** A link in what others wrote: it never moves this page, and goes where its title says. */
export function OuterLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href || !openable.test(href)) return <span>{children}</span>;
  return (
    <a href={href} title={href} rel="noreferrer" draggable={false}
      onClick={(event) => {
        event.preventDefault();
        openLink(href);
      }}
      onAuxClick={(event) => {
        event.preventDefault();
        openLink(href);
      }}>
      {children}
    </a>
  );
}
