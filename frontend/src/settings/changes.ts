import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call, problemOf, type Decision, type ExtensionView, type Ref, type Settings, type ToolView } from "../host";
import { keys, useClient } from "../host/queries";
import { problemText } from "../i18n";
import { toast } from "../kit";
import { keyOf, refOf } from "./ref";

/** Says what went wrong in passing: for switches, which have no place of their own for it. */
export const sayFailed = (error: unknown): void => {
  const { what, next } = problemText(problemOf(error));
  toast({ tone: "bad", text: [what, next].filter(Boolean).join(" ") });
};

type Lists = { extensions?: ExtensionView[]; tools?: ToolView[] };

const ofExtension = (ref: Ref, change: (view: ExtensionView) => ExtensionView) => (all?: ExtensionView[]) => all?.map((view) => (keyOf(refOf(view)) === keyOf(ref) ? change(view) : view));
const ofTool = (ref: Ref, name: string, change: (view: ToolView) => ToolView) => (all?: ToolView[]) => all?.map((view) => (view.tool.name === name && keyOf(view.ref) === keyOf(ref) ? change(view) : view));

/** The changes that are shown before the core has made them, and taken back when it can't. */
export function useChanges() {
  const client = useClient();

  const before = async (): Promise<Lists> => {
    await client.cancelQueries({ queryKey: keys.extensions, exact: true });
    await client.cancelQueries({ queryKey: keys.tools, exact: true });
    return { extensions: client.getQueryData(keys.extensions), tools: client.getQueryData(keys.tools) };
  };
  const back = (error: unknown, _: unknown, lists: Lists | undefined) => {
    if (lists?.extensions) client.setQueryData(keys.extensions, lists.extensions);
    if (lists?.tools) client.setQueryData(keys.tools, lists.tools);
    sayFailed(error);
  };
  const put = (view: ExtensionView) => client.setQueryData<ExtensionView[]>(keys.extensions, ofExtension(refOf(view), () => view));

  const enable = useMutation({
    mutationFn: (wanted: { ref: Ref; enabled: boolean }) => call("extensions.setEnabled", wanted),
    async onMutate(wanted) {
      const lists = await before();
      client.setQueryData<ExtensionView[]>(keys.extensions, ofExtension(wanted.ref, (view) => ({ ...view, enabled: wanted.enabled })));
      return lists;
    },
    onError: back,
    onSuccess: put,
  });

  const offer = useMutation({
    mutationFn: (wanted: { ref: Ref; tool: string; enabled: boolean }) => call("tools.setEnabled", wanted),
    async onMutate({ ref, tool, enabled }) {
      const lists = await before();
      const change = (view: ToolView) => ({ ...view, enabled });
      client.setQueryData<ToolView[]>(keys.tools, ofTool(ref, tool, change));
      client.setQueryData<ExtensionView[]>(keys.extensions, ofExtension(ref, (view) => ({ ...view, toolViews: ofTool(ref, tool, change)(view.toolViews ?? []) ?? [] })));
      return lists;
    },
    onError: back,
  });

  const decide = useMutation({
    mutationFn: (wanted: { ref: Ref; tool: string; key: string; decision: Decision }) => call("extensions.setGrant", wanted),
    async onMutate({ ref, tool, key, decision }) {
      const lists = await before();
      const change = (view: ToolView) => ({ ...view, permissions: (view.permissions ?? []).map((one) => (one.key === key ? { ...one, decision } : one)) });
      client.setQueryData<ToolView[]>(keys.tools, ofTool(ref, tool, change));
      client.setQueryData<ExtensionView[]>(keys.extensions, ofExtension(ref, (view) => ({ ...view, toolViews: ofTool(ref, tool, change)(view.toolViews ?? []) ?? [] })));
      return lists;
    },
    onError: back,
    onSuccess: put,
  });

  return { enable: enable.mutate, offer: offer.mutate, decide: decide.mutate };
}

/** What the lock says of the extension that came with Portico. */
export const portico = "Portico itself";

/** Installs the built-in extension again, as it came. */
export function useRestoreBuiltIn() {
  const client = useClient();
  const { t } = useTranslation("settings");
  return useMutation({
    mutationFn: () => call("extensions.restoreBuiltIn", {}),
    onError: sayFailed,
    onSuccess(view) {
      void client.invalidateQueries({ queryKey: keys.extensions });
      toast({ tone: "good", text: t("extensions.restored", { name: view.extension.displayName }) });
    },
  });
}

/** Saves one of the person's settings; the window follows at once. */
export function useSaveSettings() {
  const client = useClient();
  return useMutation({
    mutationFn: async (change: Partial<Settings>) => {
      const now = client.getQueryData<Settings>(keys.settings) ?? (await call("settings.get", {}));
      return call("settings.save", { ...now, ...change });
    },
    onMutate(change) {
      const was = client.getQueryData<Settings>(keys.settings);
      if (was) client.setQueryData<Settings>(keys.settings, { ...was, ...change });
      return { was };
    },
    onError(error, _, context) {
      if (context?.was) client.setQueryData(keys.settings, context.was);
      sayFailed(error);
    },
    onSuccess: (saved) => client.setQueryData(keys.settings, saved),
  });
}
