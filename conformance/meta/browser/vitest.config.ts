import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The server's pages in Chromium: the tests beside them (src/**/*.chromium.test.ts), and here those of no single page.
const here = "conformance/meta/browser";
const { DONATIONS, PICTURES } = process.env;

// `make browser` runs neither: faults take minutes, and may hang on a busy machine; pictures are compared by `make pictures`.
const faults = `${here}/faults.test.ts`;
const pictures = `${here}/pictures.test.ts`;

export default defineConfig({
  cacheDir: fileURLToPath(new URL("../../../node_modules/.vite-conformance-browser", import.meta.url)),
  test: {
    root: fileURLToPath(new URL("../../..", import.meta.url)),
    include: DONATIONS ? [faults] : PICTURES ? [pictures] : ["src/**/*.chromium.test.ts", `${here}/*.test.ts`],
    exclude: DONATIONS || PICTURES ? [] : [faults, pictures],
    globalSetup: [`${here}/start-chromium.ts`, "conformance/suite/command/setup.ts"],
    // Each worker has a browser of its own. Tests wait for timers, sounds and servers for a third of their time.
    maxWorkers: 3,
    isolate: false,
    // Beside other tests a page takes several times as long: only one that hangs reaches this.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // In CI only, and .ci/run names each test that needed its second try.
    retry: process.env.CI ? 1 : 0,
    expect: { poll: { timeout: 60_000 } },
  },
});
