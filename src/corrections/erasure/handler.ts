// The operation eraseDonator.

import { donatorKey } from "../../donations/donator-key.ts";
import type { Handler, Schemas } from "../../http/operations.ts";
import { nothing } from "./erase-rows.ts";
import type { Eraser } from "./eraser.ts";

export const eraseDonator =
  ({ eraser }: { eraser: Pick<Eraser, "count" | "erase"> }): Handler<"eraseDonator"> =>
  async ({ body }, { streamerId }) => {
    const keys = donatorKeysOf(body);
    const { dryRun = false } = body;
    const erased = dryRun
      ? { ...nothing, donations: (await eraser.count(streamerId, keys)).donations }
      : await eraser.erase(streamerId, keys);
    return { status: 200, body: { data: { dryRun, ...erased } } };
  };

/** The keys of the donators that are named; none when nobody is: then nothing is erased. */
export function donatorKeysOf({ identifier, donatorName }: Schemas["DonatorErasure"]): string[] {
  return [
    ...(identifier === undefined ? [] : [donatorKey("", identifier)]),
    ...(donatorName === undefined ? [] : [donatorKey(donatorName, null)]),
  ];
}
