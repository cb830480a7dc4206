// The entry: one export for each `function` in loca.json. A tool's code and its test stand side by side in a file of their own.
export { sampleBackup } from "./backup.ts";
export { sampleChoice } from "./choice.ts";
export { sampleContext } from "./context.ts";
export { sampleDatabase } from "./database.ts";
export { sampleDiff } from "./diff.ts";
export { sampleDisplay } from "./display.ts";
export { sampleFetch } from "./fetch.ts";
export { sampleFiles } from "./files.ts";
export { sampleImage } from "./image.ts";
export { sampleLlm } from "./llm.ts";
export { sampleMemory } from "./memory.ts";
export { sampleProgress } from "./progress.ts";
export { sampleSchedule } from "./schedule.ts";
export { sampleStt } from "./stt.ts";
export { sampleSystem } from "./system.ts";
export { sampleTable } from "./table.ts";
export { sampleTts } from "./tts.ts";
