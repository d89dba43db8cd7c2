// Opens vitest for rule files. The npm package has package/runner.ts instead.

import { fileURLToPath } from "node:url";
import type { InlineConfig, Vitest } from "vitest/node";

import type { ReportedTest, RuleReporter } from "../report/reporter.ts";
import type { Target } from "../values/target.ts";

const config = fileURLToPath(new URL("../../vitest.config.ts", import.meta.url));

export type VitestOptions = {
  titles: RegExp | undefined;
  /** Each target has its own worker. */
  targets: readonly [Target, ...Target[]];
  reporters: RuleReporter[];
  /** File for vitest's own JSON. */
  json?: string | null;
  timeouts?: Timeouts | undefined;
};

/** Milliseconds for each rule and for each preparation of rules; 0: no limit. */
export type Timeouts = { rule: number; preparation: number };

/** Runs rule files, or collects their rules. The package has another implementation, without vite (package/runner.ts). */
export type RuleRunner = {
  collect: (filters: undefined, options: { staticParse: boolean }) => Promise<{ testModules: CollectedFile[] }>;
  start: () => Promise<unknown>;
  cancelCurrentRun: Vitest["cancelCurrentRun"];
  close: () => Promise<void>;
};

/** A rule file whose rules were collected and not run. */
export type CollectedFile = {
  relativeModuleId: string;
  children: { allTests: () => Iterable<Pick<ReportedTest, "fullName" | "options">> };
};

/** Creates vitest for these rule files without starting them. vitest is imported here, so that `--help` does not load it. */
export async function openVitest(files: readonly string[], how: VitestOptions): Promise<RuleRunner> {
  const { createVitest } = await import("vitest/node");
  return createVitest(options(files, how));
}

/** Starts loading vitest, which takes about a second. */
export function preloadVitest(): void {
  void import("vitest/node");
}

function options(
  files: readonly string[],
  { titles, targets, reporters, json, timeouts }: VitestOptions,
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
    ...(timeouts ? { testTimeout: timeouts.rule, hookTimeout: timeouts.preparation } : {}),
  };
}
