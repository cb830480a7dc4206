import { deepEqual, rejects } from "node:assert/strict";
import { sampleFetch } from "./fetch.ts";
import { mockContext } from "./mock.ts";

/** A server on this computer: tests reach no other. */
async function withServer(answer: () => Response, use: (address: string) => Promise<void>) {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  await use(`http://127.0.0.1:${server.addr.port}/`);
}

Deno.test("the title is read", () =>
  withServer(() => new Response("<html><title> Tea </title>"), async (address) => {
    deepEqual(await sampleFetch({}, mockContext().ctx, address), { title: "Tea" });
  }));

Deno.test("a failing server is an error in words", () =>
  withServer(() => new Response("", { status: 503 }), (address) => rejects(sampleFetch({}, mockContext().ctx, address), /answered 503/)));
