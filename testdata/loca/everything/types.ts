// What the tools use of the toolkit, as the reference describes it.
export interface Option {
  label: string;
  value: string;
}
export type Question = Record<string, unknown>;
export type Schedule =
  | { kind: "once"; atMs: number }
  | { kind: "interval"; everyMinutes: number }
  | { kind: "weekly"; weekdays: number[]; hour: number; minute: number }
  | { kind: "monthly"; day: number; hour: number; minute: number }
  | { kind: "yearly"; month: number; day: number; hour: number; minute: number };
export interface ToolContext {
  setProgress(progress: number, label?: string, description?: string): void;
  log(level: "debug" | "info" | "warn" | "error", message: string): void;
  signal: AbortSignal;
  // deno-lint-ignore no-explicit-any
  getChatContext(): any;
  // deno-lint-ignore no-explicit-any
  askUser(questions: Question[]): Promise<any[]>;
  display: {
    markdown(text: string): void;
    image(dataB64: string, mime: string, alt?: string): void;
    table(columns: unknown[], rows: unknown[]): void;
    diff(before: string, after: string, title?: string): void;
  };
  memories: {
    list(): Promise<{ title: string; kind: string; summary?: string; updatedAtMs: number }[]>;
    get(title: string): Promise<{ title: string; content: string }>;
    getFile(title: string, name: string): Promise<{ title: string; name: string; content: string }>;
    write(title: string, content: string): Promise<{ title: string; before: string; after: string; created: boolean }>;
    edit(title: string, find: string, replace: string): Promise<{ title: string; before: string; after: string }>;
  };
  db: {
    query(sql: string, params?: unknown[]): Promise<Record<string, unknown>[]>;
    execute(sql: string, params?: unknown[]): Promise<unknown>;
  };
  // deno-lint-ignore no-explicit-any
  llm: { complete(o: { prompt: string; systemPrompt?: string; maxTokens?: number }): Promise<any> };
  // deno-lint-ignore no-explicit-any
  tts: { speak(text: string): Promise<any> };
  // deno-lint-ignore no-explicit-any
  stt: { transcribe(o: { dataB64: string; mime?: string; language?: string }): Promise<any> };
  // deno-lint-ignore no-explicit-any
  schedulePrompt(draft: { title: string; instruction: string; runMissed: boolean; schedule: Schedule }): Promise<any>;
}
