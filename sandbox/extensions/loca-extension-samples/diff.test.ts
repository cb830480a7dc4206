import { deepEqual } from "node:assert/strict";
import { sampleDiff } from "./diff.ts";
import { mockContext } from "./mock.ts";

const answering = (answer: string) => mockContext({ askUser: () => Promise.resolve([answer]) }).ctx;

Deno.test("the person decides which text comes back", async () => {
  deepEqual(await sampleDiff({ text: "tea \n" }, answering("accept")), { accepted: true, text: "tea\n" });
  deepEqual(await sampleDiff({ text: "tea \n" }, answering("reject")), { accepted: false, text: "tea \n" });
});

// This context has no askUser at all: asking would throw.
Deno.test("a text without such spaces asks nothing", async () => {
  deepEqual(await sampleDiff({ text: "tea\n" }, mockContext().ctx), { accepted: true, text: "tea\n" });
});
