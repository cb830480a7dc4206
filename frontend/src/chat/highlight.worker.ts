/** Colours code beside the window, which a large grammar would hold up for longer than a person does not notice. */
import { highlight } from "./highlight";

interface Asked {
  id: number;
  text: string;
  language: string;
}

self.onmessage = ({ data: { id, text, language } }: MessageEvent<Asked>) => {
  highlight(text, language).then((lines) => self.postMessage({ id, lines }), () => self.postMessage({ id }));
};

self.postMessage({ id: 0 });
