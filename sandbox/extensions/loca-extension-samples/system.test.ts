import { deepEqual, rejects } from "node:assert/strict";
import { mockContext } from "./mock.ts";
import { sampleSystem } from "./system.ts";

Deno.test("what is denied or missing is left out, and the rest is given", async () => {
  const logged: string[] = [];
  const { ctx } = mockContext({ log: (_level, message) => void logged.push(message) });
  const result = await sampleSystem({}, ctx, {
    language: () => "en_GB.UTF-8",
    host: () => {
      throw new Deno.errors.NotCapable("sys");
    },
    git: () => Promise.reject(new Deno.errors.NotFound("git")),
  });
  deepEqual(result, { known: { language: "en_GB.UTF-8" }, denied: ["host"] });
  deepEqual(logged, ["Not allowed: host"]);
});

Deno.test("a fault is not taken for a denial", async () => {
  await rejects(sampleSystem({}, mockContext().ctx, { git: () => Promise.reject(new TypeError("broken")) }), /broken/);
});
