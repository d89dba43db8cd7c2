// Commands for API keys and overlay keys.

import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { apiKeyStore, type NewApiKey } from "../auth/api-keys.ts";
import { defaultOverlayKeyName, maxOverlayKeyName, overlayKeyStore } from "../auth/overlay-keys.ts";
import { streamerStore } from "../donations/streamers.ts";
import { type AddCommands, type CommandDeps, type Does, readDateTime, readScopes, streamerCommand } from "./command.ts";

export const addKeyCommands: AddCommands = (program, does) => {
  const keys = program.command("keys").description("API keys");
  streamerCommand(keys, "create", "prints the key, which is not shown again")
    .requiredOption("--scopes <scopes>", 'such as "write:donations read:donations"', readScopes)
    .option("--application <name>", "the application that idempotency keys belong to", "default")
    .option("--name <name>", "what lists call the key")
    .option("--expires <date-time>", "when the key ends", readDateTime)
    .action(does(createKey));
  streamerCommand(keys, "moderator", "prints a key for the page /moderate")
    .option("--name <name>", "what lists call the key", "Moderator")
    .option("--expires <date-time>", "when the key ends", readDateTime)
    .action(does((deps, options) => createKey(deps, { ...options, application: "moderators", scopes: ["moderate:alerts"] })));
  addListAndRevoke(keys, does, apiKeyStore);

  const overlayKeys = program.command("overlay-keys").description("keys of overlays");
  streamerCommand(overlayKeys, "create", "prints the key and the address of its overlay, which are not shown again")
    .option("--name <name>", "what lists call the key", readOverlayKeyName, defaultOverlayKeyName)
    .option("--replace", "revokes all other keys")
    .action(
      does(async ({ knex, brand, baseUrl }, { streamer, name, replace }) => {
        const overlayKeys = overlayKeyStore(knex, brand);
        const { id } = await streamerStore(knex).require(streamer);
        const key = await (replace ? overlayKeys.replaceAll(id, name) : overlayKeys.create(id, name));
        return `${key}\n${baseUrl}/overlay/#${key}`;
      }),
    );
  addListAndRevoke(overlayKeys, does, overlayKeyStore);
};

/** Adds the commands that are the same for keys of both kinds. */
function addListAndRevoke(noun: Command, does: Does, storeOf: typeof apiKeyStore | typeof overlayKeyStore): void {
  streamerCommand(noun, "list", "lists a streamer's keys").action(
    does(async ({ knex, brand }, { streamer }): Promise<unknown> => {
      return storeOf(knex, brand).list((await streamerStore(knex).require(streamer)).id);
    }),
  );
  noun
    .command("revoke <key-id>")
    .description("ends a key")
    .action(
      does(async ({ knex, brand }, id) => {
        if (!(await storeOf(knex, brand).revoke(id))) throw new Error(`there is no active key "${id}"; see ${noun.name()} list`);
        return { revoked: id };
      }),
    );
}

type KeyOptions = Pick<NewApiKey, "scopes" | "application"> & { streamer: string; name?: string; expires?: Date };

async function createKey({ knex, brand }: CommandDeps, { streamer, name = "", expires, ...others }: KeyOptions): Promise<string> {
  const { id: streamerId } = await streamerStore(knex).require(streamer);
  return apiKeyStore(knex, brand).create({ ...others, streamerId, name, expiresAt: expires });
}

function readOverlayKeyName(name: string): string {
  if (name.trim() === "" || [...name].length > maxOverlayKeyName)
    throw new InvalidArgumentError(`It must have 1 to ${maxOverlayKeyName} characters.`);
  return name;
}
