import type { HostEvent, Methods, Problem, Reply } from "./api.gen";
import { ProblemError, settle, type Carrier } from "./carrier";

interface Incoming {
  id?: number;
  value?: unknown;
  problem?: Problem;
  events?: HostEvent[];
}

const lost: Problem = { code: "app.connection-lost", what: "The connection to Portico was lost.", next: "It is tried again by itself; if Portico was stopped, start it again." };

/** Longest wait between two tries to connect again, in milliseconds. */
const longestWait = 5000;

/** The browser page's carrier: a WebSocket to the server that the page came from. */
export function socketCarrier(url: string): Carrier {
  let socket: WebSocket | undefined;
  let next = 1;
  let tries = 0;
  const handlers = new Set<(events: HostEvent[]) => void>();
  const waiting = new Map<number, (answer: Incoming) => void>();
  let opened: Promise<WebSocket> | undefined;

  const tell = (events: HostEvent[]) => handlers.forEach((handler) => handler(events));

  function connect(): Promise<WebSocket> {
    opened ??= new Promise((resolve, reject) => {
      const ws = new WebSocket(url);
      ws.onopen = () => {
        // Whatever happened while there was no connection was missed.
        if (tries > 0 || socket) tell([{ topic: "resync", payload: {} }]);
        tries = 0;
        socket = ws;
        resolve(ws);
      };
      ws.onmessage = (message) => {
        const incoming = JSON.parse(String(message.data)) as Incoming;
        if (incoming.events) {
          tell(incoming.events);
          ws.send(JSON.stringify({ credit: 1 }));
        } else if (incoming.id !== undefined) {
          waiting.get(incoming.id)?.(incoming);
          waiting.delete(incoming.id);
        }
      };
      ws.onclose = () => {
        opened = undefined;
        for (const answer of waiting.values()) answer({ problem: lost });
        waiting.clear();
        reject(new ProblemError(lost));
        const wait = Math.min(longestWait, 100 * 2 ** tries++);
        setTimeout(() => void connect().catch(() => undefined), wait);
      };
    });
    return opened;
  }

  return {
    async call<M extends keyof Methods>(method: M, request: Methods[M]["request"]) {
      const ws = await connect();
      const id = next++;
      const answer = new Promise<Incoming>((resolve) => waiting.set(id, resolve));
      ws.send(JSON.stringify({ id, method, request }));
      return settle((await answer) as Reply<Methods[M]["answer"]>);
    },
    listen(handler) {
      handlers.add(handler);
      void connect().catch(() => undefined);
      return () => handlers.delete(handler);
    },
  };
}
