// Commands for API keys.

import { apiKeyStore, type NewApiKey } from "../auth/api-keys.ts";
import { streamerStore } from "../donations/streamers.ts";
import type { Command, CommandDeps, Input } from "./command.ts";
import { checkDateTime, checkScopes } from "./input.ts";

export const keyCommands: Command[] = [
  {
    usage:
      'keys create --streamer HANDLE --scopes "write:donations read:donations" [--application NAME] [--name NAME] [--expires DATE-TIME]',
    options: { streamer: "once", scopes: "once", application: "once", name: "once", expires: "once" },
    run: (deps, input) => createKey(deps, input, { application: "default", name: "", scopes: checkScopes(input.require("scopes")) }),
  },
  {
    usage: "keys moderator --streamer HANDLE [--name NAME] [--expires DATE-TIME]",
    options: { streamer: "once", name: "once", expires: "once" },
    run: (deps, input) => createKey(deps, input, { application: "moderators", name: "Moderator", scopes: ["moderate:alerts"] }),
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

/** What a key has unless an option says otherwise. */
type UsualKey = Pick<NewApiKey, "application" | "name" | "scopes">;

/** Prints the key, which is not shown again. */
async function createKey({ knex, brand }: CommandDeps, { get, require }: Input, usual: UsualKey): Promise<string> {
  const streamer = await streamerStore(knex).require(require("streamer"));
  const expires = get("expires");
  return apiKeyStore(knex, brand).create({
    streamerId: streamer.id,
    application: get("application") ?? usual.application,
    name: get("name") ?? usual.name,
    scopes: usual.scopes,
    expiresAt: expires === undefined ? undefined : checkDateTime("expires", expires),
  });
}
