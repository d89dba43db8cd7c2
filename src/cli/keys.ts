// Commands for API keys and overlay keys.

import { apiKeyStore, type NewApiKey } from "../auth/api-keys.ts";
import { defaultOverlayKeyName, maxOverlayKeyName, overlayKeyStore } from "../auth/overlay-keys.ts";
import { streamerStore } from "../donations/streamers.ts";
import { type Command, type CommandDeps, checkDateTime, checkScopes, type Input } from "./command.ts";

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

export const overlayKeyCommands: Command[] = [
  {
    usage: "overlay-keys create --streamer HANDLE [--name NAME] [--replace]",
    options: { streamer: "once", name: "once", replace: "switch" },
    run: createOverlayKey,
  },
  {
    usage: "overlay-keys list --streamer HANDLE",
    options: { streamer: "once" },
    run: async ({ knex, brand }, { require }) => {
      const streamer = await streamerStore(knex).require(require("streamer"));
      return overlayKeyStore(knex, brand).list(streamer.id);
    },
  },
  {
    usage: "overlay-keys revoke KEY_ID",
    positionals: ["KEY_ID"],
    run: async ({ knex, brand }, { positional }) => {
      const id = positional("KEY_ID");
      if (!(await overlayKeyStore(knex, brand).revoke(id)))
        throw new Error(`there is no active overlay key "${id}"; see overlay-keys list`);
      return { revoked: id };
    },
  },
];

/** Prints the key and the address of the overlay page with it; they are not shown again. With --replace all other keys are revoked. */
async function createOverlayKey({ knex, brand, baseUrl }: CommandDeps, { get, require, has }: Input): Promise<string> {
  const streamer = await streamerStore(knex).require(require("streamer"));
  const overlayKeys = overlayKeyStore(knex, brand);
  const name = get("name") ?? defaultOverlayKeyName;
  if (name.trim() === "" || [...name].length > maxOverlayKeyName) throw new Error(`--name must have 1 to ${maxOverlayKeyName} characters`);
  const create = has("replace") ? overlayKeys.replaceAll : overlayKeys.create;
  const key = await create(streamer.id, name);
  return `${key}\n${baseUrl}/overlay/#${key}`;
}
