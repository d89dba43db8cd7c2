// The help texts of the command line.

import { resolve } from "node:path";
import type { Config } from "../config.ts";
import type { Command } from "./command.ts";

/** A command's name: the first two words of its usage, such as `keys create`. */
export function nameOf({ usage }: Command): string {
  return usage.split(" ").slice(0, 2).join(" ");
}

/** The usage of the commands that begin with these words, or of all commands when none does. */
export function usageOf(commands: readonly Command[], words: readonly string[]): string {
  const matching = commands.filter(({ usage }) => words.every((word, index) => usage.split(" ")[index] === word));
  const lines = (matching.length > 0 ? matching : commands).map(({ usage }) => `  npm run --silent cli -- ${usage}`);
  return `usage:\n${lines.join("\n")}`;
}

/** The help text when the arguments contain `--help` or `-h`, also behind a noun or a command; otherwise null. */
export function helpFor(commands: readonly Command[], argv: readonly string[]): string | null {
  if (!argv.some((word) => word === "--help" || word === "-h")) return null;
  return usageOf(
    commands,
    argv.slice(0, 2).filter((word) => !word.startsWith("-")),
  );
}

/** Names the database that is used when neither DATABASE_URL nor DATA_DIR is set; otherwise null. */
export function databaseNotice({ databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">, env: NodeJS.ProcessEnv): string | null {
  if (databaseUrl !== null || env.DATA_DIR) return null;
  return `Using the embedded database in ${resolve(dataDir)} (set DATA_DIR or DATABASE_URL to use another).`;
}
