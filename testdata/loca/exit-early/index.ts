export function exitZero() {
  Deno.exit(0);
}
export async function exitLater(_args: unknown, ctx: any) {
  ctx.display.markdown("almost there");
  await new Promise((done) => setTimeout(done, 5));
  Deno.exit(0);
}
export const fine = () => "fine";
