import type { Session } from "../host";

export interface Group {
  /** Key in the i18n namespace "shell". */
  label: "group.today" | "group.yesterday" | "group.week" | "group.older";
  sessions: Session[];
}

const startOfDay = (time: Date): number => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();

/** Parts sessions, the newest first, into the days a person thinks in. Days are calendar days, so one of 23 hours counts. */
export function grouped(sessions: Session[], now: Date): Group[] {
  const today = startOfDay(now);
  const yesterday = startOfDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1));
  const week = startOfDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 7));
  const groups: Group[] = [
    { label: "group.today", sessions: [] },
    { label: "group.yesterday", sessions: [] },
    { label: "group.week", sessions: [] },
    { label: "group.older", sessions: [] },
  ];
  for (const session of sessions) {
    const at = session.updatedAt >= today ? 0 : session.updatedAt >= yesterday ? 1 : session.updatedAt >= week ? 2 : 3;
    groups[at]!.sessions.push(session);
  }
  return groups.filter((group) => group.sessions.length > 0);
}

/** Sessions whose title holds every word of the search. */
export function found(sessions: Session[], search: string): Session[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return sessions;
  return sessions.filter((session) => words.every((word) => session.title.toLocaleLowerCase().includes(word)));
}
