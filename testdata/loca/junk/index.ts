export function printJunk() {
  const bytes = new Uint8Array(4096);
  for (let n = 0; n < bytes.length; n++) bytes[n] = (n * 7919) & 0xff;
  Deno.stdout.writeSync(bytes);
  console.log("\u001b[31mred\u001b[0m", "{", "\u0000", "\r");
  console.table([{ a: 1 }]);
  Deno.stdout.writeSync(new TextEncoder().encode("half a line"));
  return { junk: true };
}

export function breakGlobals() {
  const broken = () => {
    throw new Error("broken");
  };
  JSON.stringify = JSON.parse = broken;
  TextEncoder.prototype.encode = TextDecoder.prototype.decode = broken as any;
  Array.isArray = broken as any;
  Map.prototype.get = Map.prototype.set = broken as any;
  (globalThis as any).Error = (globalThis as any).String = (globalThis as any).Number = broken;
  (globalThis as any).Uint8Array = (globalThis as any).AbortController = broken;
  Deno.exit = Deno.stdout.writeSync = broken as any;
  return { broken: true };
}
