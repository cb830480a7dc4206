import type { ToolContext } from "./types.ts";

/** Asks two questions in one form: the answers come back in the same order. */
export async function sampleChoice({ topic }: { topic: string }, ctx: ToolContext) {
  const [favourite, others] = await ctx.askUser([
    {
      question: `Which ${topic} do you like best?`,
      options: [
        { label: "The first", value: "first" },
        { label: "The second", value: "second", description: "A description says what the label can't." },
      ],
      allowFreeformInput: true, // the person may also type an answer of their own
    },
    {
      question: "And which others?",
      options: [{ label: "The third", value: "third" }, { label: "The fourth", value: "fourth" }],
      multiselect: true, // the answer is an array, and it may be empty
    },
  ]);
  return { favourite, others };
}
