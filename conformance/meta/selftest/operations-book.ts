// Pages for operators: their commands, and the programs that these need and that package-lock.json does not bring.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { checkout } from "../../suite/contract/sources.ts";

export const pagesFolder = "docs/operations";

/**
 * A block of code. `marker`: the comment above it, why it is not run or which file runs it; null: operations-commands.test.ts runs it.
 * `prints`: the comments below it.
 */
export type Block = Readonly<{
  page: string;
  language: string;
  text: string;
  marker: Readonly<{ kind: "not run" | "run by"; text: string }> | null;
  prints: readonly string[];
}>;

export const pages: readonly string[] = readdirSync(join(checkout, pagesFolder)).filter((name) => name.endsWith(".md"));

export const readText = (file: string): string => readFileSync(join(checkout, file), "utf8");

export const readPage = (page: string): string => readText(join(pagesFolder, page));

const fence = /(?:^<!-- (not run|run by): (.+?) -->\n)?^```(\w+)\n(.*?)^```\n((?:<!-- prints: .+? -->\n)*)/gms;

export function blocksOf(page: string): Block[] {
  return [...readPage(page).matchAll(fence)].map(([, kind, reason = "", language = "", text = "", below = ""]) => ({
    page,
    language,
    text,
    marker: kind ? { kind: kind as "not run" | "run by", text: reason } : null,
    prints: [...below.matchAll(/<!-- prints: (.+?) -->/g)].map(([, printed = ""]) => printed),
  }));
}

/** The variables of a file of settings. */
export const variablesOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]));

/** Servers are in /usr/sbin, which is not on everybody's path. */
export const programPath = `${process.env.PATH}:/usr/sbin`;

/** Skips the test where a program is not installed, and says so; in CI, where all tests must run, it throws an Error. */
export function needsProgram(context: TestContext, program: string, debianPackage = program): void {
  if (spawnSync(program, ["--version"], { env: { ...process.env, PATH: programPath } }).error === undefined) return;
  const reason = `not run: there is no ${program} (apt-get install ${debianPackage})`;
  if (process.env.CI) throw new Error(reason);
  context.skip(reason);
}
