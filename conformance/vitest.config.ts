import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

import { LeaksLast } from "./harness/leaks-last.ts";

// One server, two cores: files run one after the other, and requests run at once inside a property.
export default defineConfig({
  cacheDir: fileURLToPath(new URL("../node_modules/.vite-conformance", import.meta.url)),
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["*.test.ts", "interface/*.test.ts", "derived/*.test.ts"],
    globalSetup: ["harness/setup.ts"],
    setupFiles: ["harness/show-requests.ts"],
    fileParallelism: false,
    sequence: { sequencer: LeaksLast },
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
