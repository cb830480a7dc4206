import { QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from ".";
import { byTime, Journal, sessionOf, withEvent } from "./merge";
import type { About, ChosenModel, ExtensionView, HostEvent, MemoryList, MemoryText, Methods, Schedule, Session, Settings, ToolView, Transcript, VaultStatus, VoiceStatus } from ".";

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
  /** What the person has put in for a question so far; kept by this window alone. */
  answer: (entry: string) => ["answer", entry] as const,
  about: ["about"] as const,
  doctor: ["doctor"] as const,
  vault: ["vault"] as const,
  memories: ["memories"] as const,
  memory: (id: string) => ["memories", "text", id] as const,
  voice: ["voice"] as const,
  schedules: ["schedules"] as const,
  history: (id: string) => ["schedules", "history", id] as const,
};

export const client = new QueryClient({
  defaultOptions: {
    // The core pushes what changes; nothing is asked for again by the clock.
    queries: { staleTime: Infinity, gcTime: 10 * 60_000, retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

client.setQueryDefaults(["answer"], { gcTime: Infinity });

const none = {};

export const useSessions = () => useQuery<Session[]>({ queryKey: keys.sessions, queryFn: () => call("sessions.list", none) });
export const useTranscript = (id: string) => useQuery<Transcript>({ queryKey: keys.transcript(id), queryFn: () => openTranscript(id) });
export const useExtensions = () => useQuery<ExtensionView[]>({ queryKey: keys.extensions, queryFn: () => call("extensions.list", none) });
export const useTools = () => useQuery<ToolView[]>({ queryKey: keys.tools, queryFn: () => call("tools.list", none) });
export const useSettings = () => useQuery<Settings>({ queryKey: keys.settings, queryFn: () => call("settings.get", none) });
export const useModels = () => useQuery<ChosenModel>({ queryKey: keys.models, queryFn: () => call("models.get", none) });
export const useFound = () => useQuery({ queryKey: keys.found, queryFn: () => call("models.discover", none), staleTime: 30_000 });
/** The models of a server; asked for when somebody wants to choose. */
export const useModelList = (server: string) => useQuery<string[]>({ queryKey: keys.modelList(server), queryFn: () => call("models.list", { baseURL: server }), enabled: server !== "", staleTime: 60_000 });
/** How the vault is and what is in it, without values. Asking shows no dialog of the system's. */
export const useVault = () => useQuery<VaultStatus>({ queryKey: keys.vault, queryFn: () => call("vault.status", none) });
export const useMemories = (wanted = true) => useQuery<MemoryList>({ queryKey: keys.memories, queryFn: () => call("memories.list", none), enabled: wanted });
export const useMemory = (id: string) => useQuery<MemoryText>({ queryKey: keys.memory(id), queryFn: () => call("memories.get", { id }), enabled: id !== "", gcTime: 0 });
export const useSchedules = () => useQuery<Schedule[]>({ queryKey: keys.schedules, queryFn: () => call("schedules.list", none) });
export const useVoice = () => useQuery<VoiceStatus>({ queryKey: keys.voice, queryFn: () => call("voice.get", none) });
export const useAbout = () => useQuery<About>({ queryKey: keys.about, queryFn: () => call("system.about", none) });

/** One call that changes something, as a mutation; what it changes is announced by events. */
export function useCall<M extends keyof Methods>(method: M) {
  return useMutation<Methods[M]["answer"], Error, Methods[M]["request"]>({ mutationFn: (request) => call(method, request) });
}

export const useClient = useQueryClient;

const journal = new Journal();

/** A transcript as it is now: as it was fetched, with what was announced while it was on its way. */
async function openTranscript(id: string): Promise<Transcript> {
  const finish = journal.begin(id);
  let fetched: Transcript | undefined;
  try {
    fetched = await call("sessions.open", { id });
  } finally {
    if (!fetched) finish({ session: { id } as Session, entries: [] });
  }
  return finish(fetched);
}

/** Brings the caches in step with what the core says. */
export function apply(queries: QueryClient, events: HostEvent[]): void {
  const changed = new Map<string, Transcript>();
  const again = new Set<string>();
  for (const event of events) {
    journal.note(event);
    const id = sessionOf(event);
    const known = id === undefined ? undefined : (changed.get(id) ?? queries.getQueryData<Transcript>(keys.transcript(id)));
    if (id !== undefined && known) {
      const next = withEvent(known, event);
      if (next) changed.set(id, next);
      else again.add(id);
    }
    switch (event.topic) {
      case "session":
        queries.setQueryData<Session[]>(keys.sessions, (all) => all && byTime([event.payload, ...all.filter((other) => other.id !== event.payload.id)]));
        break;
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
      case "vault":
        // Whether a server has its key is said with the choice of the model.
        void queries.invalidateQueries({ queryKey: keys.vault });
        void queries.invalidateQueries({ queryKey: keys.models, exact: true });
        break;
      case "memories":
        void queries.invalidateQueries({ queryKey: keys.memories });
        break;
      case "schedules":
        void queries.invalidateQueries({ queryKey: keys.schedules, exact: true });
        void queries.invalidateQueries({ queryKey: ["schedules", "history"] });
        break;
      case "voice":
        void queries.invalidateQueries({ queryKey: keys.voice });
        break;
      case "resync":
        void queries.invalidateQueries();
        break;
    }
  }
  for (const [id, transcript] of changed) queries.setQueryData(keys.transcript(id), transcript);
  for (const id of again) void queries.invalidateQueries({ queryKey: keys.transcript(id) });
}

let layoutAhead: Promise<{ layout?: unknown }> | undefined;

/** The tabs as they were, asked for once: ahead, or now. */
export function savedLayout(): Promise<{ layout?: unknown }> {
  const asked = layoutAhead ?? call("settings.layout", none);
  layoutAhead = undefined;
  return asked;
}

/** Asks for what the first screen shows all at once, before it is drawn: each answer is a way to the core and back. */
export function askAhead(): void {
  layoutAhead = call("settings.layout", none);
  void client.prefetchQuery({ queryKey: keys.settings, queryFn: () => call("settings.get", none) });
  void client.prefetchQuery({ queryKey: keys.about, queryFn: () => call("system.about", none) });
  void client.prefetchQuery({ queryKey: keys.sessions, queryFn: () => call("sessions.list", none) });
  void client.prefetchQuery({ queryKey: keys.models, queryFn: () => call("models.get", none) });
}
