import { deepEqual, equal } from "node:assert/strict";
import { sampleImage } from "./image.ts";
import { mockContext } from "./mock.ts";

Deno.test("a real picture is shown, and the button that was pressed comes back", async () => {
  const { ctx } = mockContext({
    askUser([question]) {
      if (question.kind !== "image") throw new Error("not a question about an image");
      equal(atob(question.dataB64).slice(1, 4), "PNG");
      return Promise.resolve([question.actions[1].value]);
    },
  });
  deepEqual(await sampleImage({}, ctx), { verdict: "discard" });
});
