// What a player keeps in the browser's storage: its id, by which the server recognises a player that comes back, and its unsent ends.

import { makeUnsentEnds, type UnsentEnds, unsentEndsName } from "../core/unsent-ends.ts";

const name = "overlay.player";

/** `storage`: localStorage if one worker serves all pages; sessionStorage if each page has its own coordinator. */
export function playerId(storage: () => Storage): string {
  const stored = nullOnError(() => storage().getItem(name));
  if (stored && /^[\w-]{1,64}$/.test(stored)) return stored;
  const created = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  savePlayerId(storage, created);
  return created;
}

export function savePlayerId(storage: () => Storage, id: string): void {
  nullOnError(() => storage().setItem(name, id));
}

/** Storage throws if it is disabled; values are then kept as long as their page. */
export function nullOnError<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}

/** In the same storage as the player id, because the server takes an end only from the player that the playback was handed to. */
export function unsentEndsIn(storage: () => Storage, key: string): UnsentEnds {
  const name = unsentEndsName(key);
  return makeUnsentEnds({
    read: () => nullOnError(() => storage().getItem(name)),
    write: (text) => nullOnError(() => storage().setItem(name, text)),
  });
}
