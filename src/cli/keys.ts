// Commands for API keys.

import { streamerStore } from "../account/streamers.ts";
import { apiKeyStore } from "../auth/api-keys.ts";
import type { Command, CommandDeps, Input } from "./command.ts";
import { checkDateTime, checkScopes } from "./input.ts";

export const keyCommands: Command[] = [
  {
    usage:
      'keys create --streamer HANDLE --scopes "write:donations read:donations" [--application NAME] [--name NAME] [--expires DATE-TIME]',
    options: { streamer: "once", scopes: "once", application: "once", name: "once", expires: "once" },
    run: createKey,
  },
  {
    usage: "keys list --streamer HANDLE",
    options: { streamer: "once" },
    run: async ({ knex, brand }, { require }) => {
      const streamer = await streamerStore(knex).require(require("streamer"));
      return apiKeyStore(knex, brand).list(streamer.id);
    },
  },
  {
    usage: "keys revoke KEY_ID",
    positionals: ["KEY_ID"],
    run: async ({ knex, brand }, { positional }) => {
      const id = positional("KEY_ID");
      if (!(await apiKeyStore(knex, brand).revoke(id))) throw new Error(`there is no active key "${id}"; see keys list`);
      return { revoked: id };
    },
  },
];

/** Prints the key, which is not shown again. */
async function createKey({ knex, brand }: CommandDeps, { get, require }: Input): Promise<string> {
  const streamer = await streamerStore(knex).require(require("streamer"));
  const expires = get("expires");
  return apiKeyStore(knex, brand).create({
    streamerId: streamer.id,
    application: get("application") ?? "default",
    name: get("name") ?? "",
    scopes: checkScopes(require("scopes")),
    expiresAt: expires === undefined ? undefined : checkDateTime("expires", expires),
  });
}
