// What an erased donation looks like. Pure.

import type { Member } from "./columns.ts";

/** Stands in for the donator's name. */
export const erasedName = "(erased)";

/** Begins the key of a donator who was erased; what follows tells nothing of them. Other keys begin with `i:` or `n:`. */
export const erasedPrefix = "e:";

/** Members that are gone, and that a repeated request can't be compared with. */
export const erasedMembers: readonly Member[] = ["donatorName", "message", "identifier"];

export function isErased({ donatorKey }: { donatorKey: string }): boolean {
  return donatorKey.startsWith(erasedPrefix);
}
