/**
 * Changes of memories that are not saved yet. They outlive the page, the tab and the window: nobody has to be asked whether
 * they want to lose something. One is dropped when it says what the file says.
 */
import { create } from "zustand";

export interface Draft {
  title: string;
  kind: string;
  content: string;
  /** The title and text that the change was made on; neither: a new memory. */
  from?: { title: string; content: string };
}

/** The engine's own store: of this computer, written at once. */
const place = "portico.memories.drafts";

/** A text as a text area gives it. */
export const plainEnds = (text: string): string => text.replaceAll("\r\n", "\n");

/** The text with the line ends of the file that it goes into. */
export const endsLike = (text: string, file: string | undefined): string => (file?.includes("\r\n") ? plainEnds(text).replaceAll("\n", "\r\n") : text);

/** Whether a draft says anything that its memory does not. */
export const differs = (draft: Draft): boolean => (draft.from ? draft.title !== draft.from.title || plainEnds(draft.content) !== plainEnds(draft.from.content) : draft.title.trim() !== "" || draft.content !== "");

/** How a draft stands to the file as it is now: undefined where there is none. */
export function standing(draft: Draft, disk: string | undefined): "on it" | "same" | "changed" | "gone" | "new" {
  if (!draft.from) return "new";
  if (disk === undefined) return "gone";
  if (disk === draft.from.content) return "on it";
  return plainEnds(disk) === plainEnds(draft.content) ? "same" : "changed";
}

function kept(): Record<string, Draft> {
  try {
    const all = JSON.parse(localStorage.getItem(place) ?? "{}") as unknown;
    return all && typeof all === "object" ? (all as Record<string, Draft>) : {};
  } catch {
    return {};
  }
}

interface Drafts {
  drafts: Readonly<Record<string, Draft>>;
  put(id: string, draft: Draft): void;
  drop(id: string): void;
}

export const useDrafts = create<Drafts>((set) => {
  const become = (next: (drafts: Readonly<Record<string, Draft>>) => Readonly<Record<string, Draft>>) =>
    set(({ drafts: was }) => {
      const drafts = next(was);
      try {
        localStorage.setItem(place, JSON.stringify(drafts));
      } catch {
        // A full store: they are kept for as long as the window lives.
      }
      return { drafts };
    });
  return {
    drafts: kept(),
    put: (id, draft) => become((all) => ({ ...all, [id]: draft })),
    drop: (id) => become(({ [id]: _, ...rest }) => rest),
  };
});

const newMark = "new-";
let made = 0;
export const isNew = (id: string): boolean => id.startsWith(newMark);
export const newId = (): string => `${newMark}${Date.now().toString(36)}-${++made}`;
