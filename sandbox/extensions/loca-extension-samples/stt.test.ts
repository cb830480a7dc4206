import { deepEqual } from "node:assert/strict";
import { mockContext } from "./mock.ts";
import { sampleStt } from "./stt.ts";

Deno.test("a recording arrives whole, whatever its size", async () => {
  const path = await Deno.makeTempFile({ suffix: ".wav" });
  const sound = crypto.getRandomValues(new Uint8Array(60_000));
  await Deno.writeFile(path, sound);
  let heard: unknown;
  const { ctx } = mockContext({
    stt: {
      transcribe({ dataB64, mime, language }) {
        heard = [Uint8Array.from(atob(dataB64), (c) => c.charCodeAt(0)), mime, language];
        return Promise.resolve({ text: "tea is ready" });
      },
    },
  });
  try {
    deepEqual(await sampleStt({ path, language: "en" }, ctx), { text: "tea is ready" });
  } finally {
    await Deno.remove(path);
  }
  deepEqual(heard, [sound, "audio/wav", "en"]);
});
