import type { ToolContext } from "./types.ts";

/** Turns a text into speech. The model can't hear, so it is told how long the sound is instead of getting it. */
export async function sampleTts({ text }: { text: string }, ctx: ToolContext) {
  const { dataB64, mime, sampleRate } = await ctx.tts.speak(text); // rejects while no voice is switched on
  const bytes = atob(dataB64).length;
  return { bytes, mime, sampleRate };
}
