import { encodeBase64 } from "./base64.ts";
import type { ToolContext } from "./types.ts";

/** Writes down what is said in a recording of the Downloads folder. */
export async function sampleStt({ path, language }: { path: string; language?: string }, ctx: ToolContext) {
  const dataB64 = encodeBase64(await Deno.readFile(path));
  const mime = path.toLowerCase().endsWith(".mp3") ? "audio/mpeg" : "audio/wav";
  const { text } = await ctx.stt.transcribe({ dataB64, mime, language }); // rejects while transcription is off
  return { text };
}
