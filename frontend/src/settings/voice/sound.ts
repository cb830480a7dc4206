/** Sound in and out of the window: what comes is played, what is recorded becomes a WAV file that any program reads. */
import type { Recording, Sound } from "../../host";

/** As programs that write down speech expect it. */
const listenRate = 16_000;

export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

export function base64Of(bytes: Uint8Array): string {
  let text = "";
  const step = 0x8000; // as many arguments as every engine takes
  for (let at = 0; at < bytes.length; at += step) text += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(text);
}

export interface Playing {
  seconds: number;
  ended: Promise<void>;
  stop(): void;
}

/** Not an audio element: the page's policy lets nothing be loaded, not even from memory. */
export async function play(sound: Sound): Promise<Playing> {
  const context = new AudioContext();
  const buffer = await context.decodeAudioData(bytesOf(sound.dataB64).buffer);
  await context.resume();
  const source = context.createBufferSource();
  source.buffer = buffer;
  source.connect(context.destination);
  const ended = new Promise<void>((done) => {
    source.onended = () => {
      void context.close();
      done();
    };
  });
  source.start();
  return { seconds: buffer.duration, ended, stop: () => source.stop() };
}

/** One channel of 16-bit samples as a WAV file. */
export function wavOf(samples: Float32Array, rate: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(44 + samples.length * 2);
  const view = new DataView(bytes.buffer);
  const word = (at: number, text: string) => [...text].forEach((char, n) => view.setUint8(at + n, char.charCodeAt(0)));
  word(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  word(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, "data");
  view.setUint32(40, samples.length * 2, true);
  samples.forEach((sample, n) => view.setInt16(44 + n * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff), true));
  return bytes;
}

/** What a microphone gave, in a form of the engine's own, as a recording for the core. */
export async function recordingOf(parts: Blob): Promise<Recording> {
  const context = new OfflineAudioContext(1, 1, listenRate);
  const buffer = await context.decodeAudioData(await parts.arrayBuffer());
  const mono = new OfflineAudioContext(1, Math.max(1, Math.ceil(buffer.duration * listenRate)), listenRate);
  const source = mono.createBufferSource();
  source.buffer = buffer;
  source.connect(mono.destination);
  source.start();
  const mixed = await mono.startRendering();
  return { dataB64: base64Of(wavOf(mixed.getChannelData(0), listenRate)), mime: "audio/wav" };
}

/** A sound file as it is. */
export async function recordingIn(file: File): Promise<Recording> {
  return { dataB64: base64Of(new Uint8Array(await file.arrayBuffer())), ...(file.type ? { mime: file.type } : {}) };
}

export interface Microphone {
  done(): Promise<Recording>;
  cancel(): void;
}

/** Listens until it is told that it is done. Throws where there is no microphone, or none that may be used. */
export async function microphone(): Promise<Microphone> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream);
  const parts: Blob[] = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const ended = new Promise<void>((done) => (recorder.onstop = () => done()));
  const end = async () => {
    if (recorder.state !== "inactive") recorder.stop();
    await ended;
    for (const track of stream.getTracks()) track.stop();
  };
  recorder.start();
  return {
    async done() {
      await end();
      return recordingOf(new Blob(parts, { type: recorder.mimeType }));
    },
    cancel: () => void end(),
  };
}
