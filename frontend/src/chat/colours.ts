/** The colours of code, made beside the window; in it where the engine gives its pages no workers. */
import type { Word } from "./highlight";

type Lines = Word[][] | undefined;

interface Beside {
  ask(text: string, language: string): Promise<Lines>;
}

/** How long a worker may take to say that it is there, in milliseconds. */
const startLimit = 5000;

function beside(): Promise<Beside | undefined> {
  return new Promise((resolve) => {
    let worker: Worker;
    try {
      worker = new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
    } catch {
      resolve(undefined);
      return;
    }
    const waiting = new Map<number, (lines: Lines) => void>();
    let last = 0;
    const give = (up: boolean) => {
      clearTimeout(timer);
      if (up) worker.terminate();
      for (const settle of waiting.values()) settle(undefined);
      resolve(undefined);
    };
    const timer = setTimeout(() => give(true), startLimit);
    worker.onerror = () => give(true);
    worker.onmessage = ({ data: { id, lines } }: MessageEvent<{ id: number; lines?: Word[][] }>) => {
      if (id > 0) {
        waiting.get(id)?.(lines);
        waiting.delete(id);
        return;
      }
      clearTimeout(timer);
      resolve({
        ask: (text, language) =>
          new Promise((settle) => {
            waiting.set(++last, settle);
            worker.postMessage({ id: last, text, language });
          }),
      });
    };
  });
}

let worker: Promise<Beside | undefined> | undefined;

/** The words of each line with their colours; undefined when the language is unknown. */
export async function coloured(text: string, language: string): Promise<Lines> {
  const found = await (worker ??= beside());
  if (found) return found.ask(text, language);
  const { highlight } = await import("./highlight");
  return highlight(text, language);
}
