export function floodOutput() {
  const chunk = new TextEncoder().encode("x".repeat(1 << 20));
  for (let n = 0; n < 40; n++) for (let at = 0; at < chunk.length;) at += Deno.stdout.writeSync(chunk.subarray(at));
  return "still here";
}

export function floodProgress(_args: unknown, ctx: any) {
  for (let n = 0; n <= 100_000; n++) ctx.setProgress(n / 100_000, `step ${n}`);
  return "still here";
}

export function floodLog(_args: unknown, ctx: any) {
  for (let n = 0; n < 20_000; n++) ctx.log("info", `line ${n}`);
  return "still here";
}

export function floodDisplays(_args: unknown, ctx: any) {
  for (let n = 0; n < 2_000; n++) ctx.display.markdown(`result ${n}`);
  return "still here";
}

export function floodForEver(_args: unknown, ctx: any) {
  for (let n = 0; ; n++) ctx.setProgress(0.5, `step ${n}`);
}
