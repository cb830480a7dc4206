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
  /** The memories that are switched on. Needs the permission `memories`, `read` or `write`. Titles are found whatever their case. */
  readonly memories: {
    list(): Promise<Memory[]>;
    get(title: string): Promise<{ title: string; content: string }>;
    /** A file that a skill bundles; its name is the path in the skill's folder. */
    getFile(title: string, name: string): Promise<{ title: string; name: string; content: string }>;
    /** Replaces a knowledge, or creates it. */
    write(title: string, content: string): Promise<{ title: string; before: string; after: string; created: boolean }>;
    /** Replaces the one place where `find` stands; none or several is an error. */
    edit(title: string, find: string, replace: string): Promise<{ title: string; before: string; after: string }>;
  };
  /** The extension's own SQLite database, shared by its tools. Needs `"database": true` in loca.json. */
  readonly db: {
    /** More than 10,000 rows is an error. Integers beyond 2^53 are strings, blobs base64. */
    query<Row = Record<string, SqlResult>>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
    execute(sql: string, params?: readonly SqlValue[]): Promise<{ changes: number; lastInsertRowId: number | string }>;
  };
  /** One completion by the person's own model. Needs the permission `llm`. */
  readonly llm: { complete(asked: Completion): Promise<{ text: string }> };
  /** Speech from at most 2,000 characters. Needs the permission `tts` and a voice that is switched on. */
  readonly tts: { speak(text: string): Promise<{ dataB64: string; mime: "audio/wav"; sampleRate: number }> };
  /** Text from at most 25 MB of sound. Needs the permission `stt` and transcription that is switched on. */
  readonly stt: { transcribe(recording: Recording): Promise<{ text: string }> };
  /** Proposes a scheduled prompt, which the person reviews. It is saved when this resolves; `draft` has their changes. */
  schedulePrompt(draft: ScheduleDraft): Promise<{ accepted: boolean; draft?: ScheduleDraft }>;
}

export interface Memory {
  title: string;
  kind: "knowledge" | "skill";
  summary?: string;
  /** Milliseconds since 1970, UTC. */
  updatedAtMs: number;
}

export type SqlValue = string | number | boolean | null;
export type SqlResult = string | number | null;

export interface Completion {
  prompt: string;
  systemPrompt?: string;
  /** 512 when left out, at most 1,024. */
  maxTokens?: number;
}

export interface Recording {
  dataB64: string;
  /** `audio/wav` when left out. */
  mime?: string;
  /** BCP 47, such as "es". */
  language?: string;
}

/** All times are the computer's local ones. */
export type Schedule =
  | { kind: "once"; /** Milliseconds since 1970, UTC. */ atMs: number }
  | { kind: "interval"; everyMinutes: number }
  | { kind: "weekly"; /** 0 is Sunday. */ weekdays: number[]; hour: number; minute: number }
  | { kind: "monthly"; /** Past the end of a month: its last day. */ day: number; hour: number; minute: number }
  | { kind: "yearly"; /** 1 is January. */ month: number; day: number; hour: number; minute: number };

export interface ScheduleDraft {
  /** 1 to 200 characters. */
  title: string;
  /** The prompt that is sent when it is due, 1 to 10,000 characters. */
  instruction: string;
  /** Whether a time that was missed, because the app was closed, is made up for. */
  runMissed: boolean;
  schedule: Schedule;
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
