// What the command line says of itself.

import { resolve } from "node:path";
import type { Config } from "../config.ts";
import type { Command } from "./command.ts";

/** A command's name: the first two words of its usage, such as `keys create`. */
export function nameOf({ usage }: Command): string {
  return usage.split(" ").slice(0, 2).join(" ");
}

/** Usage of the commands that begin with these words; of all where none does. */
export function usageOf(commands: readonly Command[], words: readonly string[]): string {
  const meant = commands.filter(({ usage }) => words.every((word, index) => usage.split(" ")[index] === word));
  const lines = (meant.length > 0 ? meant : commands).map(({ usage }) => `  npm run --silent cli -- ${usage}`);
  return `usage:\n${lines.join("\n")}`;
}

/** The usage that `--help` asks for, behind a noun or a whole command too; null: it was not asked for. */
export function helpFor(commands: readonly Command[], argv: readonly string[]): string | null {
  if (!argv.some((word) => word === "--help" || word === "-h")) return null;
  return usageOf(
    commands,
    argv.slice(0, 2).filter((word) => !word.startsWith("-")),
  );
}

/** Says which database is meant where nobody named one; null: somebody did. */
export function databaseNotice({ databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">, env: NodeJS.ProcessEnv): string | null {
  if (databaseUrl !== null || env.DATA_DIR) return null;
  return `Using the embedded database in ${resolve(dataDir)} (DATA_DIR or DATABASE_URL names another).`;
}
