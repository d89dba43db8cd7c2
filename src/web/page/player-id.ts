// This browser's player id: the server knows by it that a page has come back.

const name = "overlay.player";

/** `storage`: localStorage where one worker serves all pages; sessionStorage where each page stands for itself. */
export function playerId(storage: () => Storage): string {
  const known = quietly(() => storage().getItem(name));
  if (known && /^[\w-]{1,64}$/.test(known)) return known;
  const made = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  keepPlayerId(storage, made);
  return made;
}

export function keepPlayerId(storage: () => Storage, id: string): void {
  quietly(() => storage().setItem(name, id));
}

/** Storage throws where it is switched off; then what it should keep lasts as long as its page. */
export function quietly<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}
