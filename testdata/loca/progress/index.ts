export async function countUp({ to, pauseMs = 0 }: { to: number; pauseMs?: number }, ctx: any) {
  for (let n = 1; n <= to; n++) {
    ctx.signal.throwIfAborted();
    ctx.setProgress(n / to, `Counted ${n} of ${to}`, "One step at a time");
    if (pauseMs > 0) await new Promise((done) => setTimeout(done, pauseMs));
  }
  return { counted: to };
}

export function wildProgress(_args: unknown, ctx: any) {
  for (const value of [-1, 2, NaN, Infinity, "0.5", null, undefined, {}]) ctx.setProgress(value, value);
  ctx.setProgress(1, "done");
  return "done";
}

export function chatter(_args: unknown, ctx: any) {
  for (const level of ["debug", "info", "warn", "error", "shout"]) ctx.log(level, `a line at ${level}`);
  console.log("printed", { a: 1 }, [1, 2]);
  console.error("printed as an error");
  Deno.stdout.writeSync(new TextEncoder().encode("written to the output\n"));
  Deno.stderr.writeSync(new TextEncoder().encode("written to the errors\n"));
  return null;
}

export function context(_args: unknown, ctx: any) {
  return ctx.getChatContext();
}
