// The entry point of the command line: streamers, keys, clients and native donations. Results go to stdout, errors to stderr.

import { loadCommands } from "./cli/commands.ts";
import { readInput } from "./cli/input.ts";
import { databaseNotice, helpFor, nameOf, usageOf } from "./cli/usage.ts";
import { readConfig } from "./config.ts";
import { openDatabase } from "./db/database.ts";
import { migrate } from "./db/migrate.ts";
import { makeSealer } from "./db/secrets.ts";
import { makeLog } from "./telemetry/log.ts";

async function main(argv: string[]): Promise<void> {
  const commands = await loadCommands(argv[0]);
  const help = helpFor(commands, argv);
  if (help !== null) return console.log(help);
  const name = argv.slice(0, 2);
  const command = commands.find((known) => nameOf(known) === name.join(" "));
  if (!command) throw new Error(usageOf(commands, name));
  const input = readInput(command, argv.slice(2));
  const config = readConfig(process.env);
  const notice = databaseNotice(config, process.env);
  if (notice) console.error(notice);
  const database = await openDatabase({ databaseUrl: config.databaseUrl ?? undefined, dataDir: config.dataDir, log: makeLog("warn") });
  try {
    if (!command.createsSchema) await migrate(database);
    const { brand, baseUrl, secretKey, erasureJournal } = config;
    const deps = { database, knex: database.knex, brand, baseUrl, sealer: makeSealer(secretKey), erasureJournal };
    const result = await command.run(deps, input);
    console.log(typeof result === "string" ? result : JSON.stringify(result, null, 2));
    if (command.isFailure?.(result)) process.exitCode = 1;
  } finally {
    await database.close();
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
