import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The server's pages in Chromium. Separate from the rest of the suite, because it needs Chromium.
export default defineConfig({
  cacheDir: fileURLToPath(new URL("../../../node_modules/.vite-conformance-browser", import.meta.url)),
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    // faults.test.ts runs in `make faults` only: it takes minutes, and may hang on a busy machine. pictures.test.ts is for `make pictures`.
    include: [process.env.DONATIONS ? "faults.test.ts" : process.env.PICTURES ? "pictures.test.ts" : "*.test.ts"],
    exclude: process.env.DONATIONS || process.env.PICTURES ? [] : ["faults.test.ts", "pictures.test.ts"],
    globalSetup: ["start-chromium.ts", "../../suite/command/setup.ts"],
    // Each worker has a browser of its own. Tests wait for timers, sounds and servers for half of their time.
    maxWorkers: 2,
    isolate: false,
    // Beside other tests a page takes several times as long: only one that hangs reaches this.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // In CI only, and .ci/run names each test that needed its second try.
    retry: process.env.CI ? 1 : 0,
    expect: { poll: { timeout: 60_000 } },
  },
});
