// Streamers, API keys and native donations from the shell. Results go to stdout, complaints to stderr.

import { type ParseArgsConfig, parseArgs } from "node:util";
import { streamerStore } from "./account/streamers.ts";
import { writerPool } from "./app.ts";
import { apiKeyStore, ensureApplication } from "./auth/api-keys.ts";
import { checkDonation, checkEnum, checkScopes } from "./cli-input.ts";
import { readConfig } from "./config.ts";
import { type Database, openDatabase } from "./db/database.ts";
import { migrate } from "./db/migrate.ts";
import { type Channel, newDonation, type Source, toRecord } from "./donations/donation.ts";
import { rebuildSearchIndex } from "./donations/search-index.ts";
import { makeWriter } from "./donations/writer.ts";
import { makeLog } from "./log.ts";
import { rebuildReports } from "./reports/rollup.ts";

type Tools = { database: Database; brand: string };
type Values = Record<string, string | undefined>;
type Command = {
  usage: string;
  options: string[];
  positionals: number;
  run: (tools: Tools, values: Values, positionals: string[]) => Promise<unknown>;
};

const commands: Record<string, Command> = {
  "streamers create": {
    usage: "streamers create HANDLE",
    options: [],
    positionals: 1,
    run: ({ database }, _values, [handle = ""]) => streamerStore(database.knex).create(handle),
  },
  "streamers list": {
    usage: "streamers list",
    options: [],
    positionals: 0,
    run: ({ database }) => streamerStore(database.knex).list(),
  },
  "keys create": {
    usage:
      'keys create --streamer HANDLE --scopes "write:donations read:donations" [--application NAME] [--name NAME] [--expires DATE-TIME]',
    options: ["streamer", "scopes", "application", "name", "expires"],
    positionals: 0,
    run: createKey,
  },
  "keys list": {
    usage: "keys list --streamer HANDLE",
    options: ["streamer"],
    positionals: 0,
    run: async ({ database, brand }, values) => {
      const streamer = await streamerStore(database.knex).require(required(values, "streamer"));
      return apiKeyStore(database.knex, brand).list(streamer.id);
    },
  },
  "keys revoke": {
    usage: "keys revoke KEY_ID",
    options: [],
    positionals: 1,
    run: async ({ database, brand }, _values, [id = ""]) => {
      if (!(await apiKeyStore(database.knex, brand).revoke(id))) throw new Error(`there is no active key "${id}"; see keys list`);
      return { revoked: id };
    },
  },
  "donations add": {
    usage:
      "donations add --streamer HANDLE --source native|test --amount N [--channel …] [--name …] [--message …] [--identifier …] [--created-at …] [--skip-alert true]",
    options: ["streamer", "source", "channel", "amount", "name", "message", "identifier", "created-at", "skip-alert"],
    positionals: 0,
    run: addDonation,
  },
  "reports rebuild": {
    usage: "reports rebuild [--streamer HANDLE]",
    options: ["streamer"],
    positionals: 0,
    run: rebuildRollups,
  },
  "search rebuild": {
    usage: "search rebuild",
    options: [],
    positionals: 0,
    run: async ({ database }) => {
      await rebuildSearchIndex(database.pool({ max: 1, applicationName: "donations search" }));
      return { rebuilt: "search" };
    },
  },
};

async function createKey({ database, brand }: Tools, values: Values): Promise<string> {
  const streamer = await streamerStore(database.knex).require(required(values, "streamer"));
  const expiresAt = values.expires === undefined ? undefined : new Date(values.expires);
  if (expiresAt && Number.isNaN(expiresAt.getTime()))
    throw new Error(`--expires must be a date-time such as 2027-01-01T00:00:00Z, not "${values.expires}"`);
  const scopes = checkScopes(required(values, "scopes"));
  return apiKeyStore(database.knex, brand).create({
    streamerId: streamer.id,
    application: values.application ?? "default",
    name: values.name ?? "",
    scopes,
    expiresAt,
  });
}

/** A native or test donation, through the same recording function as one posted to the API. */
async function addDonation({ database }: Tools, values: Values): Promise<unknown> {
  const streamer = await streamerStore(database.knex).require(required(values, "streamer"));
  const source = checkEnum<Source>("source", required(values, "source"), ["native", "test"]);
  const channel = checkEnum<Channel>("channel", values.channel ?? "other", ["promptpay", "truemoney", "bank_transfer", "card", "other"]);
  const input = await checkDonation(values);
  const applicationId = await ensureApplication(database.knex, streamer.id, "platform");
  const writer = makeWriter({ pool: database.pool(writerPool), log: makeLog("warn") });
  const { donation } = await writer.record(newDonation(input, { streamerId: streamer.id, applicationId }, { source, channel }));
  return toRecord(donation, applicationId);
}

/** Empties the roll-ups of one streamer or of all, and fills them again from the donations. */
async function rebuildRollups({ database }: Tools, values: Values): Promise<unknown> {
  const streamers = streamerStore(database.knex);
  const chosen = values.streamer === undefined ? await streamers.list() : [await streamers.require(values.streamer)];
  const knex = database.pool({ max: 1, applicationName: "donations reports" });
  const rebuilt: Record<string, number> = {};
  for (const { id, handle } of chosen) rebuilt[handle] = (await rebuildReports(knex, id)).donations;
  return rebuilt;
}

async function main(argv: string[]): Promise<void> {
  const name = argv.slice(0, 2).join(" ");
  const command = commands[name];
  if (!command)
    throw new Error(
      `usage:\n${Object.values(commands)
        .map(({ usage }) => `  npm run --silent cli -- ${usage}`)
        .join("\n")}`,
    );
  const { values, positionals } = readArguments(command, argv.slice(2));
  const config = readConfig(process.env);
  const database = await openDatabase({ databaseUrl: config.databaseUrl ?? undefined, dataDir: config.dataDir, log: makeLog("warn") });
  try {
    await migrate(database);
    const result = await command.run({ database, brand: config.brand }, values, positionals);
    console.log(typeof result === "string" ? result : JSON.stringify(result, null, 2));
  } finally {
    await database.close();
  }
}

function readArguments(command: Command, args: string[]): { values: Values; positionals: string[] } {
  const options: ParseArgsConfig["options"] = Object.fromEntries(command.options.map((option) => [option, { type: "string" as const }]));
  const parsed = parseArgs({ args, options, allowPositionals: true });
  if (parsed.positionals.length !== command.positionals) throw new Error(`usage: npm run --silent cli -- ${command.usage}`);
  return { values: parsed.values as Values, positionals: parsed.positionals };
}

function required(values: Values, name: string): string {
  const value = values[name];
  if (!value) throw new Error(`--${name} is missing`);
  return value;
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
