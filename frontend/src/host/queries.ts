import { QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from ".";
import type { Entry, ExtensionView, HostEvent, Info, Methods, ModelChoice, Session, Settings, TextDelta, ToolView, Transcript } from ".";

/** Every key in one place: a key that is written twice is one that is invalidated once. */
export const keys = {
  sessions: ["sessions"] as const,
  transcript: (id: string) => ["transcript", id] as const,
  extensions: ["extensions"] as const,
  files: (id: string) => ["extensions", "files", id] as const,
  tools: ["tools"] as const,
  settings: ["settings"] as const,
  models: ["models"] as const,
  found: ["models", "found"] as const,
  modelList: (server: string) => ["models", "list", server] as const,
  info: ["info"] as const,
  doctor: ["doctor"] as const,
};

export const client = new QueryClient({
  defaultOptions: {
    // The core pushes what changes; nothing is asked for again by the clock.
    queries: { staleTime: Infinity, gcTime: 10 * 60_000, retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

const none = {};

export const useSessions = () => useQuery<Session[]>({ queryKey: keys.sessions, queryFn: () => call("sessions.list", none) });
export const useTranscript = (id: string) => useQuery<Transcript>({ queryKey: keys.transcript(id), queryFn: () => call("sessions.open", { id }) });
export const useExtensions = () => useQuery<ExtensionView[]>({ queryKey: keys.extensions, queryFn: () => call("extensions.list", none) });
export const useTools = () => useQuery<ToolView[]>({ queryKey: keys.tools, queryFn: () => call("tools.list", none) });
export const useSettings = () => useQuery<Settings>({ queryKey: keys.settings, queryFn: () => call("settings.get", none) });
export const useModels = () => useQuery<ModelChoice>({ queryKey: keys.models, queryFn: () => call("models.get", none) });
export const useFound = () => useQuery({ queryKey: keys.found, queryFn: () => call("models.discover", none), staleTime: 30_000 });
/** The models of a server; asked for when somebody wants to choose. */
export const useModelList = (server: string) => useQuery<string[]>({ queryKey: keys.modelList(server), queryFn: () => call("models.list", { baseURL: server }), enabled: server !== "", staleTime: 60_000 });
export const useInfo = () => useQuery<Info>({ queryKey: keys.info, queryFn: () => call("system.info", none) });

/** One call that changes something, as a mutation; what it changes is announced by events. */
export function useCall<M extends keyof Methods>(method: M) {
  return useMutation<Methods[M]["answer"], Error, Methods[M]["request"]>({ mutationFn: (request) => call(method, request) });
}

export const useClient = useQueryClient;

/** Puts an entry in its place; an ended one is never replaced by one that goes on, and a longer text not by a shorter. */
export function withEntry(entries: Entry[], entry: Entry): Entry[] {
  const at = entries.findIndex((other) => other.id === entry.id);
  if (at >= 0) {
    const old = entries[at]!;
    if (ended(old) && !ended(entry)) return entries;
    if (!ended(entry) && (entry.text?.length ?? 0) < (old.text?.length ?? 0)) entry = { ...entry, text: old.text };
    return entries.map((other, n) => (n === at ? entry : other));
  }
  const after = entries.findIndex((other) => other.seq > entry.seq);
  return after < 0 ? [...entries, entry] : [...entries.slice(0, after), entry, ...entries.slice(after)];
}

export const ended = (entry: Pick<Entry, "state">): boolean => entry.state !== "open" && entry.state !== "running";

/** Appends streamed text; undefined when something before it was missed. */
export function withDelta(entries: Entry[], delta: TextDelta): Entry[] | undefined {
  const at = entries.findIndex((other) => other.id === delta.entry);
  if (at < 0) return undefined;
  const entry = entries[at]!;
  const have = entry.text ?? "";
  if (ended(entry) || have.length >= delta.at + delta.text.length) return entries;
  if (have.length < delta.at) return undefined;
  const text = have + delta.text.slice(have.length - delta.at);
  return entries.map((other, n) => (n === at ? { ...entry, text } : other));
}

/** Brings the caches in step with what the core says. */
export function apply(queries: QueryClient, events: HostEvent[]): void {
  const transcripts = new Map<string, Transcript | undefined>();
  const transcript = (id: string) => {
    if (!transcripts.has(id)) transcripts.set(id, queries.getQueryData<Transcript>(keys.transcript(id)));
    return transcripts.get(id);
  };
  for (const event of events) {
    switch (event.topic) {
      case "entry": {
        const known = transcript(event.payload.session);
        if (known) transcripts.set(event.payload.session, { ...known, entries: withEntry(known.entries ?? [], event.payload) });
        break;
      }
      case "delta": {
        const known = transcript(event.payload.session);
        if (!known) break;
        const entries = withDelta(known.entries ?? [], event.payload);
        if (entries) transcripts.set(event.payload.session, { ...known, entries });
        else void queries.invalidateQueries({ queryKey: keys.transcript(event.payload.session) });
        break;
      }
      case "session": {
        const session = event.payload;
        queries.setQueryData<Session[]>(keys.sessions, (all) => all && sorted([session, ...all.filter((other) => other.id !== session.id)]));
        const known = transcript(session.id);
        if (known) transcripts.set(session.id, { ...known, session });
        break;
      }
      case "sessionGone":
        queries.setQueryData<Session[]>(keys.sessions, (all) => all?.filter((other) => other.id !== event.payload.id));
        break;
      case "extensions":
        void queries.invalidateQueries({ queryKey: keys.extensions });
        void queries.invalidateQueries({ queryKey: keys.tools });
        break;
      case "settings":
        void queries.invalidateQueries({ queryKey: keys.settings });
        break;
      case "models":
        void queries.invalidateQueries({ queryKey: keys.models });
        break;
      case "resync":
        void queries.invalidateQueries();
        break;
    }
  }
  for (const [id, changed] of transcripts) if (changed) queries.setQueryData(keys.transcript(id), changed);
}

const sorted = (sessions: Session[]): Session[] => [...sessions].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
