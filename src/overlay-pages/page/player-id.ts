// This browser's player id, by which the server recognises a player that comes back.

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
