import { fileURLToPath } from "node:url";
import type { InlineConfig, Reporter, Vitest } from "vitest/node";

import type { Target } from "../harness/server/target.ts";

const config = fileURLToPath(new URL("../vitest.config.ts", import.meta.url));

export type VitestOptions = {
  titles: RegExp | undefined;
  /** Each target has its own worker. */
  targets: readonly [Target, ...Target[]];
  reporters: Reporter[];
  /** File for vitest's own JSON. */
  json?: string | null;
  /** Milliseconds for each test and hook. */
  timeout?: number;
};

/** Creates vitest for these rule files without starting them. vitest is imported here, so that `--help` does not load it. */
export async function openVitest(files: readonly string[], how: VitestOptions): Promise<Vitest> {
  const { createVitest } = await import("vitest/node");
  return createVitest(options(files, how));
}

function options(
  files: readonly string[],
  { titles, targets, reporters, json, timeout }: VitestOptions,
): InlineConfig & { config: string } {
  return {
    config,
    watch: false,
    include: [...files],
    globalSetup: [],
    provide: { targets: [...targets] },
    ...(targets.length > 1 ? { fileParallelism: true, maxWorkers: targets.length } : {}),
    testNamePattern: titles,
    reporters: json ? [...reporters, "json"] : reporters,
    ...(json ? { outputFile: { json } } : {}),
    ...(timeout ? { testTimeout: timeout, hookTimeout: timeout } : {}),
  };
}
