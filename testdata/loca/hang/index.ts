export async function waitForEver() {
  await new Promise(() => {});
}

export function spin() {
  for (;;);
}

export async function stopWhenAsked(_args: unknown, ctx: any) {
  ctx.setProgress(0.5, "waiting");
  await new Promise<void>((done) => ctx.signal.addEventListener("abort", () => done()));
  ctx.log("info", "tidied up");
  return "stopped";
}

export async function ignoreCancel(_args: unknown, ctx: any) {
  ctx.setProgress(0.5, "waiting");
  for (;;) await new Promise((done) => setTimeout(done, 1000));
}

export function fine() {
  return "fine";
}
