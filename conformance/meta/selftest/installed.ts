// Programs that tests need and that package-lock.json does not bring.

import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";

/** Servers are in /usr/sbin, which is not on everybody's path. */
export const programPath = `${process.env.PATH}:/usr/sbin`;

/** Skips the test where a program is not installed, and says so; in CI, where all tests must run, it throws an Error. */
export function needsProgram(context: TestContext, program: string, debianPackage = program): void {
  if (spawnSync(program, ["--version"], { env: { ...process.env, PATH: programPath } }).error === undefined) return;
  const reason = `not run: there is no ${program} (apt-get install ${debianPackage})`;
  if (process.env.CI) throw new Error(reason);
  context.skip(reason);
}
