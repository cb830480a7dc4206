/** Builds the window over a scripted core: `npx vite build --config test/fixture.config.ts`, then `node test/look.mjs`. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, mergeConfig } from "vite";
import base from "../vite.config";

export default mergeConfig(base, defineConfig({ build: { target: "es2022", outDir: join(tmpdir(), "portico-fixture"), emptyOutDir: true, rollupOptions: { input: "test/fixture.html" } } }));
