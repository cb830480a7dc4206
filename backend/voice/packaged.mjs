// Speaks one text with espeak-ng as WebAssembly: {text, args} comes in on standard input, the WAV file goes out. Without a
// text it prints what espeak-ng prints.
import makeEspeak from "./espeak-ng.js";

const { text, args } = JSON.parse(await new Response(Deno.stdin.readable).text());
const wasmBinary = await Deno.readFile(new URL("./espeak-ng.wasm", import.meta.url));
const printed = [];
const files = text === "" ? [] : ["-f", "/text", "-w", "/sound"];
const espeak = await makeEspeak({
  wasmBinary,
  arguments: [...args, ...files],
  print: (line) => printed.push(line),
  printErr: (line) => console.error(line),
  preRun: [({ FS }) => FS.writeFile("/text", text)],
});
const said = text === "" ? new TextEncoder().encode(printed.join("\n") + "\n") : espeak.FS.readFile("/sound");
for (let sent = 0; sent < said.length; ) sent += await Deno.stdout.write(said.subarray(sent));
