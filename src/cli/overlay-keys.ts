// The command that creates an overlay key.

import { streamerStore } from "../account/streamers.ts";
import { overlayKeyStore } from "../auth/overlay-keys.ts";
import type { Command, CommandDeps, Input } from "./command.ts";

export const overlayKeyCommands: Command[] = [
  {
    usage: "overlay-keys create --streamer HANDLE [--replace]",
    options: { streamer: "once", replace: "switch" },
    run: createOverlayKey,
  },
];

/** Prints the key and the address of the overlay page with it; they are not shown again. */
async function createOverlayKey({ knex, brand, baseUrl }: CommandDeps, { require, has }: Input): Promise<string> {
  const streamer = await streamerStore(knex).require(require("streamer"));
  const overlayKeys = overlayKeyStore(knex, brand);
  if (!has("replace") && (await overlayKeys.findCreatedAt(streamer.id)))
    throw new Error(`${streamer.handle} has an overlay key already, which cannot be shown again; --replace creates another and revokes it`);
  const key = await overlayKeys.replace(streamer.id);
  return `${key}\n${baseUrl}/overlay/#${key}`;
}
