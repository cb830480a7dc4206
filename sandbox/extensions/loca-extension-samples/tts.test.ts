import { deepEqual, rejects } from "node:assert/strict";
import { mockContext } from "./mock.ts";
import { sampleTts } from "./tts.ts";

Deno.test("the size of the sound is told, not the sound", async () => {
  const { ctx } = mockContext({ tts: { speak: () => Promise.resolve({ dataB64: btoa("RIFF"), mime: "audio/wav", sampleRate: 22050 }) } });
  deepEqual(await sampleTts({ text: "Tea is ready." }, ctx), { bytes: 4, mime: "audio/wav", sampleRate: 22050 });
});

Deno.test("without a voice the model learns why", async () => {
  const { ctx } = mockContext({ tts: { speak: () => Promise.reject(new Error("Speech is off.")) } });
  await rejects(sampleTts({ text: "Tea is ready." }, ctx), /Speech is off/);
});
