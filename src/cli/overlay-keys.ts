// Commands for overlay keys.

import { defaultOverlayKeyName, maxOverlayKeyName, overlayKeyStore } from "../auth/overlay-keys.ts";
import { streamerStore } from "../donations/streamers.ts";
import type { Command, CommandDeps, Input } from "./command.ts";

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
