/** The one way from the frontend to the core. Components use queries and mutations built on it, never it directly. */
import type { Methods } from "./api.gen";
import type { Carrier } from "./carrier";
import { socketCarrier } from "./socket";
import { wailsCarrier } from "./wails";

export type * from "./api.gen";
export { ProblemError, problemOf, type Carrier } from "./carrier";

let carrier: Carrier | undefined;

/** Gives tests another carrier: a scripted one at the wire. */
export function useCarrier(other: Carrier): void {
  carrier = other;
}

function current(): Carrier {
  carrier ??= wailsCarrier() ?? socketCarrier(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api`);
  return carrier;
}

export const call = <M extends keyof Methods>(method: M, request: Methods[M]["request"]) => current().call(method, request);

export const listen: Carrier["listen"] = (handler) => current().listen(handler);
