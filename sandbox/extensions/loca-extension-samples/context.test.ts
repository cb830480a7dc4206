import { deepEqual } from "node:assert/strict";
import { sampleContext } from "./context.ts";
import { mockContext } from "./mock.ts";

Deno.test("numbers are written as the person writes them", () => {
  const { ctx } = mockContext({ getChatContext: () => ({ userMessage: "what is this", sessionId: "s", locale: "de" }) });
  deepEqual(sampleContext({}, ctx), { words: 3, inSession: true, locale: "de", number: "1.234,5" });
});

Deno.test("outside of a session, and without a locale, it works too", () => {
  const { ctx } = mockContext({ getChatContext: () => ({ userMessage: "", sessionId: null }) });
  deepEqual(sampleContext({}, ctx), { words: 0, inSession: false, locale: "en", number: "1,234.5" });
});
