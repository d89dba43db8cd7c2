// Finds the command that the arguments name, and runs it on the configured database.

import { readConfig } from "../config.ts";
import { findOddSettings } from "../config-names.ts";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrator/migrate.ts";
import { makeSealer } from "../db/secrets.ts";
import { makeLog } from "../telemetry/log.ts";
import { version } from "../telemetry/version.ts";
import type { Command, CommandDeps, Input } from "./command.ts";
import { loadCommands } from "./commands.ts";
import { readInput } from "./input.ts";
import { databaseNotice, helpFor, nameOf, usageOf } from "./usage.ts";

/** A command with its arguments. */
export type Call = { command: Command; input: Input };

/** Reads the arguments of a call. A string is what they ask for: a help text, or the version. Throws an Error with the usage of what is not understood. */
export async function readCall(argv: string[]): Promise<Call | string> {
  if (argv[0] === "--version") return version;
  const commands = await loadCommands(argv[0]);
  const help = helpFor(commands, argv);
  if (help !== null) return help;
  const name = argv.slice(0, 2);
  const command = commands.find((known) => nameOf(known) === name.join(" "));
  if (!command) throw new Error(usageOf(commands, name));
  return { command, input: readInput(command, argv.slice(2)) };
}

/** Opens the database that `env` configures for `work`, and closes it afterwards. Its schema is brought up to date, unless the command keeps it. */
export async function withDatabase(
  env: NodeJS.ProcessEnv,
  keepsSchema: boolean,
  work: (deps: CommandDeps) => Promise<void>,
): Promise<void> {
  const config = readConfig(env);
  const notice = databaseNotice(config, env);
  if (notice) console.error(notice);
  for (const sentence of findOddSettings(env)) console.error(sentence);
  const database = await openDatabase({ ...config, log: makeLog("warn") });
  try {
    if (!keepsSchema) await migrate(database);
    const { brand, baseUrl, secretKey, erasureJournal } = config;
    await work({ database, knex: database.knex, brand, baseUrl, sealer: makeSealer(secretKey), erasureJournal });
  } finally {
    await database.close();
  }
}

/** The result of a command as it is printed. */
export function printed(result: unknown): string {
  return typeof result === "string" ? result : JSON.stringify(result, null, 2);
}
