// Reads the words of a call with commander, and runs the command on the configured database.

import { resolve } from "node:path";
import { Command, CommanderError, type CommandUnknownOpts, Help } from "@commander-js/extra-typings";
import { type Config, readConfig } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import { isLockConflict } from "../db/failures.ts";
import { migrate } from "../db/migrator/migrate.ts";
import { makeSealer } from "../db/secrets.ts";
import { findOddSettings } from "../setting-names.ts";
import { makeLog } from "../telemetry/log.ts";
import { version } from "../telemetry/version.ts";
import type { AddCommands, CommandDeps, Does } from "./command.ts";

/** A command with its arguments. `run` resolves to what is printed, null: nothing, and to whether the command failed all the same. */
type Call = Readonly<{
  keepsSchema: boolean;
  check: (config: Config) => Promise<void>;
  run: (deps: CommandDeps) => Promise<{ output: string | null; failed: boolean }>;
}>;

/** Reads the words of a call. A string is what they ask for: a help text, or the version. Throws an Error with the usage of what is not understood. */
export async function readCall(words: readonly string[]): Promise<Call | string> {
  const calls: Call[] = [];
  let text = "";
  const program = newProgram((written) => (text += written));
  for (const add of await loadCommands(words[0])) add(program, makeDoes(calls));
  try {
    program.parse([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new Error(text.trimEnd());
  }
  return calls[0] ?? text.trimEnd();
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

/** Names the database that is used when neither DATABASE_URL nor DATA_DIR is set; otherwise null. */
export function databaseNotice({ databaseUrl, dataDir }: Config, env: NodeJS.ProcessEnv): string | null {
  if (databaseUrl !== null || env.DATA_DIR) return null;
  return `Using the embedded database in ${resolve(dataDir)} (set DATA_DIR or DATABASE_URL to use another).`;
}

/** The program without nouns. Its help lists the commands of all nouns. */
function newProgram(write: (text: string) => void): Command {
  return new Command("npm run --silent cli --")
    .description("Manages streamers, keys, clients, donations and the database.")
    .version(version, "--version")
    .helpCommand(false)
    .showHelpAfterError()
    .configureHelp({
      optionDescription: (option) => `${new Help().optionDescription(option)}${option.mandatory ? " (required)" : ""}`.trim(),
      visibleCommands: ({ commands }) => commands.flatMap((one) => (one.commands.length > 0 ? one.commands : [one])),
      subcommandTerm: (command) => `${command.parent?.name()} ${new Help().subcommandTerm(command)}`,
    })
    .configureOutput({ writeOut: write, writeErr: write })
    .exitOverride()
    .hook("preAction", (_, command) => refuseMissingValues(command));
}

/** A shell's variable that is not set leaves an option without a value: `--identifier "$ID"`, or `--identifier $ID --dry-run`. */
function refuseMissingValues(command: CommandUnknownOpts): void {
  for (const option of command.options) {
    const given = [command.getOptionValue(option.attributeName())].flat();
    if (given.some((value) => value === "" || command.options.some(({ long }) => long === value)))
      command.error(`error: option '${option.flags}' argument missing`);
  }
}

const makeDoes =
  (calls: Call[]): Does =>
  (run, { keepsSchema = false, check, isFailure } = {}) =>
  (...given) => {
    calls.push({
      keepsSchema,
      check: async (config) => check?.(config, ...given),
      run: async (deps) => {
        const result = await Promise.resolve(run(deps, ...given)).catch(inWords);
        return { output: outputOf(result), failed: isFailure?.(result) ?? false };
      },
    });
  };

/** The database's own error of a lock has a whole statement in it. */
async function inWords(error: unknown): Promise<never> {
  if (isLockConflict(error)) throw (await import("../http/problem.ts")).locked();
  throw error;
}

function outputOf(result: unknown): string | null {
  if (result === undefined) return null;
  return typeof result === "string" ? result : JSON.stringify(result, null, 2);
}

/** The nouns of each file, in the order of the help text. */
const files: readonly (readonly [nouns: readonly string[], load: () => Promise<AddCommands>])[] = [
  [["streamers", "logins"], async () => (await import("./streamers.ts")).addStreamerCommands],
  [["keys", "overlay-keys"], async () => (await import("./keys.ts")).addKeyCommands],
  [["donations"], async () => (await import("./donations.ts")).addDonationCommands],
  [["donators"], async () => (await import("./donators.ts")).addDonatorCommands],
  [["audit"], async () => (await import("./audit.ts")).addAuditCommands],
  [["database", "reports", "search"], async () => (await import("./database.ts")).addDatabaseCommands],
  [["clients", "signing-keys"], async () => (await import("./clients.ts")).addClientCommands],
];

/** Loads the file of the noun, or all files when none has it. A command loads no other file, because all of them take longer than most commands. */
async function loadCommands(noun: string | undefined): Promise<AddCommands[]> {
  const named = files.filter(([nouns]) => nouns.includes(noun ?? ""));
  return Promise.all((named.length > 0 ? named : files).map(([, load]) => load()));
}
