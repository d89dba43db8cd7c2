import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { runningFirst } from "./base/testing-order.ts";

// Files that wait for deadlines, databases or processes for most of ten to twenty seconds.
const waiting = [
  "db/embedded-accidents",
  "notifier/between-processes",
  "alerts/two-processes",
  "notifier/silent-server",
  "db/database",
  "db/silent-server",
  "db/migrator/migrate",
  "events/webhooks/worker/worker",
];

// The tests beside the code, without those of pages in Chromium: conformance/meta/browser/vitest.config.ts runs them.
export default defineConfig({
  cacheDir: fileURLToPath(new URL("../node_modules/.vite-unit", import.meta.url)),
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    dir: fileURLToPath(new URL(".", import.meta.url)),
    exclude: [...configDefaults.exclude, "**/*.chromium.test.ts"],
    globalSetup: ["src/db/testing-server.ts"],
    // Node runs the files itself, and keeps what it has compiled (NODE_COMPILE_CACHE). No test replaces a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A worker loads Knex, Koa and the compiled contract once, not for each of a hundred files.
    isolate: false,
    sequence: { sequencer: runningFirst(waiting) },
    // Beside other tests a test takes several times as long: only one that hangs reaches these.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
