import { defineConfig } from "vitest/config";

/** Drives the development binary in a real browser. `go run ./build dev` makes what it needs. */
export default defineConfig({
  test: {
    environment: "node",
    include: ["e2e/**/*.test.ts"],
    fileParallelism: false,
    bail: 1, // each step stands on the one before
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
