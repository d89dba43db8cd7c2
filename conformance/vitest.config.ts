import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { inOrder } from "./suite/command/measured.ts";
import { preparationLimit, stateLimitMs, timeLimits } from "./suite/values/run-settings.ts";

// The order of the rule files, for vitest.

/** Makes vitest run the rule files in the suite's own order. */
class FileSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byPath = new Map(files.map((file) => [file.moduleId, file]));
    return inOrder([...byPath.keys()]).map((path) => byPath.get(path) as TestSpecification);
  }
}

// On one server files run one after the other, and requests run at once inside a property. The command starts several servers (--servers).
export default defineConfig({
  cacheDir: fileURLToPath(new URL("../node_modules/.vite-conformance", import.meta.url)),
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    // Node runs the files itself, and keeps what it has compiled (NODE_COMPILE_CACHE): the command is started many times.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    include: ["{rules/*,interface,derived}/*.test.ts"],
    globalSetup: ["suite/command/setup.ts"],
    setupFiles: ["suite/client/before-each-rule.ts"],
    fileParallelism: false,
    sequence: { sequencer: FileSequencer },
    isolate: false,
    taskTitleValueFormatTruncate: 200, // a title is a full rule: values in it are not cut off after 40 characters
    testTimeout: timeLimits.rule * 1000,
    expect: { poll: { timeout: stateLimitMs } },
    hookTimeout: preparationLimit * 1000,
  },
});
