export function showAll(_args: unknown, ctx: any) {
  ctx.display.markdown("# Hello\n\nA **bold** word.");
  ctx.display.image("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "image/png", "One pixel");
  ctx.display.table(["name", "age"], [["Ada", 36], ["Grace", null], ["Alan", { born: 1912 }]]);
  ctx.display.diff("one\ntwo\n", "one\nthree\n", "numbers.txt");
  return { shown: 4 };
}

export function showTooMuch(_args: unknown, ctx: any) {
  ctx.display.markdown("é".repeat(256_001));
  ctx.display.image("A".repeat(8_000_004), "image/png");
  ctx.display.image("not base64!", "image/png");
  ctx.display.image("iVBORw0KGgo=", "text/html");
  ctx.display.table(Array.from({ length: 65 }, (_, n) => `c${n}`), []);
  ctx.display.table(["a"], Array.from({ length: 1001 }, () => [1]));
  ctx.display.table(["a"], [["x".repeat(4097)]]);
  ctx.display.table("a", 7);
  ctx.display.diff("x".repeat(256_001), "");
  ctx.display.table(["a"], [[10n]]);
  ctx.display.markdown(undefined);
  return null;
}
