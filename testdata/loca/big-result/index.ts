export const tenMegabytes = () => "x".repeat(10 << 20);
export const sixMegabytes = () => "x".repeat(6 << 20);
export function deep() {
  let value: unknown = 1;
  for (let n = 0; n < 5_000; n++) value = [value];
  return value;
}
