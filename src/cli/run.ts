// Finds the command that the arguments name, helps, and runs it on the configured database.

import { resolve } from "node:path";
import { type Config, readConfig } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrator/migrate.ts";
import { makeSealer } from "../db/secrets.ts";
import { findOddSettings } from "../settings.ts";
import { makeLog } from "../telemetry/log.ts";
import { version } from "../telemetry/version.ts";
import { type Command, type CommandDeps, type Input, readInput } from "./command.ts";

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
export function databaseNotice({ databaseUrl, dataDir }: Config, env: NodeJS.ProcessEnv): string | null {
  if (databaseUrl !== null || env.DATA_DIR) return null;
  return `Using the embedded database in ${resolve(dataDir)} (set DATA_DIR or DATABASE_URL to use another).`;
}

/** First words of commands, and the file that has them. In the order of the help text. */
const files: readonly { nouns: readonly string[]; load: () => Promise<Command[]> }[] = [
  { nouns: ["streamers", "logins"], load: async () => (await import("./streamers.ts")).streamerCommands },
  { nouns: ["keys"], load: async () => (await import("./keys.ts")).keyCommands },
  { nouns: ["overlay-keys"], load: async () => (await import("./keys.ts")).overlayKeyCommands },
  {
    nouns: ["donations"],
    load: async () => [...(await import("./donations.ts")).donationCommands, ...(await import("./imports.ts")).importCommands],
  },
  { nouns: ["donators"], load: async () => (await import("./donators.ts")).donatorCommands },
  { nouns: ["audit"], load: async () => (await import("./audit.ts")).auditCommands },
  { nouns: ["database"], load: async () => (await import("./database.ts")).databaseCommands },
  { nouns: ["clients", "signing-keys"], load: async () => (await import("./clients.ts")).clientCommands },
  { nouns: ["reports", "search"], load: async () => (await import("./database.ts")).reportCommands },
];

/**
 * Loads the commands that begin with this word, or all commands when none does. A command loads no file of the others, because loading
 * all of them takes longer than most commands.
 */
export async function loadCommands(noun: string | undefined): Promise<Command[]> {
  const named = files.filter(({ nouns }) => nouns.includes(noun ?? ""));
  const loaded = await Promise.all((named.length > 0 ? named : files).map(({ load }) => load()));
  return loaded.flat();
}
