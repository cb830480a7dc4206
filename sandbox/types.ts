/**
 * The toolkit that every Loca tool receives as its second argument. Copy this file into an extension for completion; the
 * host needs no copy of it.
 */
export interface ToolContext {
  /** How far the call is, from 0 to 1; values outside are clamped. */
  setProgress(progress: number, label?: string, description?: string): void;
  /** A line for the call's log and the extension's log file. */
  log(level: "debug" | "info" | "warn" | "error", message: string): void;
  /** Aborts when the person cancels the turn; the process ends two seconds later. */
  readonly signal: AbortSignal;
  getChatContext(): ChatContext;
  /** Asks the person and waits: one answer per question, in order. The call's time limit pauses meanwhile. */
  askUser(questions: readonly Question[]): Promise<Answer[]>;
  /** One-way results for the transcript; the model does not read them. */
  readonly display: {
    markdown(text: string): void;
    image(dataB64: string, mime: string, alt?: string): void;
    table(columns: readonly string[], rows: readonly (readonly unknown[])[]): void;
    diff(before: string, after: string, title?: string): void;
  };
}

export interface ChatContext {
  /** The message that started the turn. */
  userMessage: string;
  sessionId: string | null;
  /** BCP 47, such as "es-ES". */
  locale?: string;
}

export interface Option {
  label: string;
  value: string;
  description?: string;
}

export type Question =
  | { kind?: "choice"; question: string; options?: Option[]; multiselect?: boolean; allowFreeformInput?: boolean }
  | { kind: "diff"; question: string; before: string; after: string; title?: string }
  | { kind: "files"; question: string; entries: { path: string; label?: string; description?: string }[]; multiselect?: boolean }
  | { kind: "image"; question: string; dataB64: string; mime: string; actions: { label: string; value: string }[] }
  | { kind: "table"; question: string; columns: string[]; rows: unknown[][] };

/** A text; several for a choice or files with multiselect; rows keyed by column for a table. */
export type Answer = string | string[] | Record<string, string>[];
