import type { HostEvent, Methods, Reply } from "./api.gen";
import { settle, type Carrier } from "./carrier";

interface Bridge {
  Call(method: string, request: string): Promise<string>;
}

interface WailsWindow {
  go?: Record<string, Record<string, Partial<Bridge>>>;
  runtime?: { EventsOn(name: string, handler: (batch: unknown) => void): () => void };
}

function bridgeOf(w: WailsWindow): Bridge | undefined {
  for (const structs of Object.values(w.go ?? {})) {
    for (const bound of Object.values(structs)) if (typeof bound.Call === "function") return bound as Bridge;
  }
  return undefined;
}

/** The native window's carrier; undefined in a browser. */
export function wailsCarrier(): Carrier | undefined {
  const w = window as unknown as WailsWindow;
  const bridge = bridgeOf(w);
  const runtime = w.runtime;
  if (!bridge || !runtime) return undefined;
  return {
    async call<M extends keyof Methods>(method: M, request: Methods[M]["request"]) {
      return settle(JSON.parse(await bridge.Call(method, JSON.stringify(request))) as Reply<Methods[M]["answer"]>);
    },
    listen(handler) {
      return runtime.EventsOn("portico", (batch) => handler((typeof batch === "string" ? JSON.parse(batch) : batch) as HostEvent[]));
    },
  };
}
