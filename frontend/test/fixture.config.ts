/** Builds the window over a scripted core: `npx vite build --config test/fixture.config.ts`, then `node test/look.mjs`. */
import { defineConfig, mergeConfig } from "vite";
import base from "../vite.config.ts";

export default mergeConfig(base, defineConfig({ build: { target: "es2022", outDir: "node_modules/.fixture", emptyOutDir: true, rollupOptions: { input: "test/fixture.html" } } }));
