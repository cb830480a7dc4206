/** The part of the toolkit that this tool uses. */
export interface ToolContext {
  setProgress(progress: number, label?: string, description?: string): void;
}
