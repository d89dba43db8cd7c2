import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The server's pages in a real browser. Apart from the rest of the suite, because it needs Chromium.
export default defineConfig({
  cacheDir: fileURLToPath(new URL("../../node_modules/.vite-conformance-browser", import.meta.url)),
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["*.test.ts"],
    globalSetup: ["../harness/setup.ts"],
    fileParallelism: false,
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
