import { call, type Scroll, type Transcript } from "../host";
import { client, keys } from "../host/queries";

/** Rest after the last change before a draft or a place is saved, in milliseconds. */
const rest = 400;

interface Kept {
  draft: string;
  scroll: Scroll;
}

const pending = new Map<string, Kept>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Saves what has not been yet; also when the page goes. */
export function saveViews(): void {
  clearTimeout(timer);
  for (const [id, view] of pending) void call("sessions.saveView", { id, ...view }).catch(() => undefined);
  pending.clear();
}

/** Keeps the draft or the place in a session's transcript for the next time, soon. */
export function keepView(id: string, change: Partial<Kept>): void {
  const known = client.getQueryData<Transcript>(keys.transcript(id));
  if (!known) return;
  const { session } = known;
  const view = { draft: session.draft ?? "", scroll: session.scroll, ...pending.get(id), ...change };
  pending.set(id, view);
  client.setQueryData<Transcript>(keys.transcript(id), { ...known, session: { ...session, ...view } });
  clearTimeout(timer);
  timer = setTimeout(saveViews, rest);
}

if (typeof window !== "undefined") {
  window.addEventListener("pagehide", saveViews);
  document.addEventListener("visibilitychange", () => document.hidden && saveViews());
}
