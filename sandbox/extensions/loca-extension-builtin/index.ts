export { calculator } from "./calculator.ts";
export { getDatetime } from "./datetime.ts";
export { editMemory, listMemories, readMemory, readSkillFile, showMemory, writeMemory } from "./memories.ts";
export { openApp, openFile, openWebsite } from "./openers.ts";
export { schedulePrompt } from "./schedule.ts";
export { downloadUrl, fetchWebpage, webSearch } from "./web.ts";
export { getWindowLayout, setWindowLayout } from "./windows.ts";
