export function abort() {
  Deno.kill(Deno.pid, "SIGKILL");
}

export function exhaustHeap() {
  const all: unknown[] = [];
  for (let n = 0;; n++) all.push(new Array(1 << 20).fill(n + 0.5));
}

export function exhaustBuffers() {
  const all: Uint8Array[] = [];
  for (;;) all.push(new Uint8Array(64 << 20).fill(1));
}

export async function rejectLater() {
  Promise.reject(new Error("forgotten"));
  await new Promise((done) => setTimeout(done, 10));
  return "went on";
}

export async function throwLater() {
  setTimeout(() => {
    throw new Error("out of the blue");
  }, 1);
  await new Promise(() => {});
}

export function sayAndDie() {
  Deno.stderr.writeSync(new TextEncoder().encode("the disk is on fire\n"));
  Deno.exit(7);
}

export function fine() {
  return "fine";
}
