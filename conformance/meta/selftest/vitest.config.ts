import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The suite's own tests. Those of the command start it as a process, against small servers made for them.
export default defineConfig({
  cacheDir: fileURLToPath(new URL("../../../node_modules/.vite-selftest", import.meta.url)),
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    fsModuleCache: true, // otherwise every run would compile the suite anew
    include: ["*.test.ts"],
    globalSetup: ["build-package.ts"],
    // A worker loads the suite once, not for each of forty files.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
