import { deepEqual, equal } from "node:assert/strict";
import { sampleChoice } from "./choice.ts";
import { mockContext } from "./mock.ts";
import type { Question } from "./types.ts";

Deno.test("both questions are asked at once, and the answers come back in order", async () => {
  let asked: readonly Question[] = [];
  const { ctx } = mockContext({
    askUser(questions) {
      asked = questions;
      return Promise.resolve(["second", ["third", "fourth"]]);
    },
  });
  deepEqual(await sampleChoice({ topic: "tea" }, ctx), { favourite: "second", others: ["third", "fourth"] });
  equal(asked.length, 2);
  equal(asked[0].question, "Which tea do you like best?");
});
