import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The server's pages in Chromium. Separate from the rest of the suite, because it needs Chromium.
export default defineConfig({
  cacheDir: fileURLToPath(new URL("../../node_modules/.vite-conformance-browser", import.meta.url)),
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    // faults.test.ts runs in `make faults` only: it takes minutes, and may hang on a busy machine.
    include: process.env.DONATIONS ? ["faults.test.ts"] : ["*.test.ts"],
    exclude: process.env.DONATIONS ? [] : ["faults.test.ts"],
    globalSetup: ["../harness/server/setup.ts"],
    fileParallelism: false,
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
