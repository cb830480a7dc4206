import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  plugins: [react(), tailwindcss()],
  resolve: {
    // A test helper inside @rjsf/core names this package. It makes code at run time, which the page's policy forbids; forms have a validator of their own.
    alias: { "@rjsf/validator-ajv8": fileURLToPath(new URL("./src/forms/absent.ts", import.meta.url)) },
  },
  build: {
    // WebKitGTK 2.40, WKWebView of macOS 13, WebView2.
    target: ["safari16", "chrome110"],
    chunkSizeWarningLimit: 900,
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["./test/setup.ts"],
  },
});
