// What an erased donation looks like. Pure.

import { erasedName } from "../base/text.ts";
import type { Member } from "./columns.ts";
import type { NewDonation } from "./donation.ts";

/** Begins the key of a donator who was erased; what follows tells nothing of them. Other keys begin with `i:` or `n:`. */
export const erasedPrefix = "e:";

/** What an erased donation has in place of what its donator wrote. Each text of the contract that donators write needs a line. */
export const erasedValues = { donatorName: erasedName, message: "", identifier: null } as const satisfies Partial<NewDonation>;

/** Members that are gone, and that a repeated request can't be compared with. */
export const erasedMembers = Object.keys(erasedValues) as readonly Member[];

export function isErased({ donatorKey }: { donatorKey: string }): boolean {
  return donatorKey.startsWith(erasedPrefix);
}
