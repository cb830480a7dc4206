import { deepEqual, equal } from "node:assert/strict";
import { sampleLlm } from "./llm.ts";
import { mockContext } from "./mock.ts";

Deno.test("a model that says more than it was asked gives one short line", async () => {
  const { ctx } = mockContext({
    llm: {
      complete({ prompt, maxTokens }) {
        equal(prompt, "Steep it for two minutes.");
        equal(maxTokens, 40);
        return Promise.resolve({ text: "How to Steep Tea\n\nI hope you like it!" });
      },
    },
  });
  deepEqual(await sampleLlm({ text: "Steep it for two minutes." }, ctx), { title: "How to Steep Tea" });
});
