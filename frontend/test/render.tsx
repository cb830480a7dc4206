/** Draws a part of the window over a scripted core. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { useCarrier } from "../src/host";
import { setupI18n } from "../src/i18n";
import { Toasts, useToasts } from "../src/kit";
import { scripted, type State } from "./fixtures";

/** What jsdom lacks of a browser and Radix reaches for. */
function patchJsdom(): void {
  const element = Element.prototype as unknown as Record<string, unknown>;
  element.hasPointerCapture ??= () => false;
  element.releasePointerCapture ??= () => undefined;
  element.scrollIntoView ??= () => undefined;
  globalThis.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
}

export function draw(what: ReactNode, change: Partial<State> = {}, own: Parameters<typeof scripted>[1] = {}, language = "en") {
  patchJsdom();
  setupI18n(language);
  useToasts.setState({ toasts: [] });
  const core = scripted(change, own);
  useCarrier(core);
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  const person = userEvent.setup();
  const drawn = render(<QueryClientProvider client={client}>{what}<Toasts /></QueryClientProvider>);
  const asked = (method: string) => core.calls.filter((call) => call.method === method).map((call) => call.request);
  return { ...drawn, core, client, person, asked };
}
