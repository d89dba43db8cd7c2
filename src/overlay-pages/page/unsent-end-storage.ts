// Keeps unsent ends in the browser's storage.

import { makeUnsentEnds, type UnsentEnds, unsentEndsName } from "../core/playback/unsent-ends.ts";
import { nullOnError } from "./player-id.ts";

/** In the same storage as the player id, because the server takes an end only from the player that the playback was handed to. */
export function unsentEndsIn(storage: () => Storage, key: string): UnsentEnds {
  const name = unsentEndsName(key);
  return makeUnsentEnds({
    read: () => nullOnError(() => storage().getItem(name)),
    write: (text) => nullOnError(() => storage().setItem(name, text)),
  });
}
