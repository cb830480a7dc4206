import { call } from "../host";

/** How long a frame is waited for in a window that is still hidden, in milliseconds. */
const hiddenFrame = 40;

/** Rest after the window is shown before the rest of the code is fetched, in milliseconds. */
const settled = 300;

/** What the first screen did without is fetched before it is asked for: keys that are pressed meanwhile would be lost. */
function fetchAhead(): void {
  for (const part of [() => import("../chat/Transcript"), () => import("../palette")]) void part().catch(() => undefined);
}

/**
 * Shows the window, once: after the next frame, or without one. The window is hidden until then, and a hidden window of
 * WebKitGTK gets no frames; waiting for them would be waiting for the fallback of five seconds.
 */
export function showWindow(): () => void {
  let told = false;
  const tell = () => {
    if (told) return;
    told = true;
    void call("system.ready", {}).catch(() => undefined);
    setTimeout(fetchAhead, settled);
  };
  requestAnimationFrame(tell);
  const timer = setTimeout(tell, hiddenFrame);
  return () => clearTimeout(timer);
}
