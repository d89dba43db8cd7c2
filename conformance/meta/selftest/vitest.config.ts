import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { runningFirst } from "../../../src/base/testing-order.ts";

// Files that take minutes, because they start other programs, run the suite many times, or keep a rate limit.
const longest = ["restoring", "recipes", "own-objects", "package", "foreign-server", "limits", "receiver", "contract-rules"];

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
    sequence: { sequencer: runningFirst(longest) },
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
