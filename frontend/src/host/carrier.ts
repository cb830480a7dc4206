import type { HostEvent, Methods, Problem, Reply } from "./api.gen";

/** What a call throws: the core's Problem, in words. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.what);
    this.name = "ProblemError";
  }
}

/** The way to the core: native window or browser page. Both carry the same methods and events. */
export interface Carrier {
  call<M extends keyof Methods>(method: M, request: Methods[M]["request"]): Promise<Methods[M]["answer"]>;
  /** Every event from now on, in order, in batches of about one frame. The result stops it. */
  listen(handler: (events: HostEvent[]) => void): () => void;
}

/** Turns an answer of the core into its value, or throws its Problem. */
export function settle<T>(reply: Reply<T>): T {
  if (reply.problem) throw new ProblemError(reply.problem);
  return (reply.value ?? {}) as T;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return { code: "app.window", what: error instanceof Error ? error.message : String(error) };
}
