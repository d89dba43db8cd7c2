import { streamerStore } from "../account/streamers.ts";
import { overlayKeyStore } from "../auth/overlay-keys.ts";
import type { Command, Input, Tools } from "./command.ts";

export const overlayKeyCommands: Command[] = [
  {
    usage: "overlay-keys create --streamer HANDLE [--replace]",
    options: { streamer: "once", replace: "switch" },
    run: createOverlayKey,
  },
];

/** Prints the key, and the page for OBS that carries it: the only time they are seen. */
async function createOverlayKey({ knex, brand, baseUrl }: Tools, { require, has }: Input): Promise<string> {
  const streamer = await streamerStore(knex).require(require("streamer"));
  const overlayKeys = overlayKeyStore(knex, brand);
  if (!has("replace") && (await overlayKeys.madeAt(streamer.id)))
    throw new Error(`${streamer.handle} has an overlay key already, which nobody can read again; --replace makes another and revokes it`);
  const key = await overlayKeys.replace(streamer.id);
  return `${key}\n${baseUrl}/overlay/#${key}`;
}
