import { fileURLToPath } from "node:url";
import type { InlineConfig, Reporter, Vitest } from "vitest/node";

import type { Target } from "../harness/server/target.ts";

const config = fileURLToPath(new URL("../vitest.config.ts", import.meta.url));

export type How = {
  titles: RegExp | undefined;
  /** Each has a worker of its own. */
  targets: readonly [Target, ...Target[]];
  reporters: Reporter[];
  /** File for vitest's own JSON. */
  json?: string | null;
  /** Of each test. */
  timeout?: number;
};

/** vitest, with these rule files and nothing started. It is loaded only here: whoever asks for help need not wait for it. */
export async function openVitest(files: readonly string[], how: How): Promise<Vitest> {
  const { createVitest } = await import("vitest/node");
  return createVitest(options(files, how));
}

function options(files: readonly string[], { titles, targets, reporters, json, timeout }: How): InlineConfig & { config: string } {
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
