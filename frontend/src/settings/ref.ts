import type { Copy, ExtensionView, Ref } from "../host";

export const refOf = (copy: Pick<Copy, "extension" | "scope" | "projectDir">): Ref => ({
  scope: copy.scope, format: copy.extension.format, id: copy.extension.id, ...(copy.projectDir ? { project: copy.projectDir } : {}),
});

/** One text for one installed extension. */
export const keyOf = (ref: Ref): string => [ref.scope, ref.format, ref.project ?? "", ref.id].map(encodeURIComponent).join(":");

export const sameRef = (a: Ref, b: Ref): boolean => keyOf(a) === keyOf(b);

export type Badge = "off" | "stopped" | "changed" | "gone";

/** The one thing about an extension that its card has to say; nothing when all is well. */
export function badgeOf(view: Pick<ExtensionView, "enabled" | "problem">): Badge | undefined {
  if (view.problem) {
    if (view.problem.code === "extension.drift") return "changed";
    if (view.problem.code === "extension.gone") return "gone";
    return "stopped";
  }
  return view.enabled ? undefined : "off";
}
