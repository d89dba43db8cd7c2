// Streamers, keys, clients and native donations from the shell. Results go to stdout, complaints to stderr.

import { clientCommands } from "./cli/clients.ts";
import type { Command } from "./cli/command.ts";
import { donationCommands } from "./cli/donations.ts";
import { readInput } from "./cli/input.ts";
import { keyCommands } from "./cli/keys.ts";
import { overlayKeyCommands } from "./cli/overlay-keys.ts";
import { reportCommands } from "./cli/reports.ts";
import { streamerCommands } from "./cli/streamers.ts";
import { readConfig } from "./config.ts";
import { openDatabase } from "./db/database.ts";
import { migrate } from "./db/migrate.ts";
import { makeSealer } from "./db/secrets.ts";
import { makeLog } from "./log.ts";

const commands: Command[] = [
  ...streamerCommands,
  ...keyCommands,
  ...overlayKeyCommands,
  ...donationCommands,
  ...clientCommands,
  ...reportCommands,
];

async function main(argv: string[]): Promise<void> {
  const command = commands.find(({ usage }) => nameOf(usage) === argv.slice(0, 2).join(" "));
  if (!command) throw new Error(`usage:\n${commands.map(({ usage }) => `  npm run --silent cli -- ${usage}`).join("\n")}`);
  const input = readInput(command, argv.slice(2));
  const config = readConfig(process.env);
  const database = await openDatabase({ databaseUrl: config.databaseUrl ?? undefined, dataDir: config.dataDir, log: makeLog("warn") });
  try {
    await migrate(database);
    const { brand, baseUrl, secretKey } = config;
    const tools = { database, knex: database.knex, brand, baseUrl, sealer: makeSealer(secretKey) };
    const result = await command.run(tools, input);
    console.log(typeof result === "string" ? result : JSON.stringify(result, null, 2));
  } finally {
    await database.close();
  }
}

function nameOf(usage: string): string {
  return usage.split(" ").slice(0, 2).join(" ");
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
