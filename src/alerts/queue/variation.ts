// Which of the streamer's variations a donation's alert gets.

import type { Knex } from "knex";
import type { Schemas } from "../../http/operations.ts";
import type { Variation } from "../settings/settings.ts";

/** What decides which variation a donation gets. */
export type VariedDonation = Pick<Schemas["Donation"], "amount" | "source" | "channel">;

/** The first variation that fits; null: the default look. */
export function chooseVariation(variations: readonly Variation[], donation: VariedDonation): Variation | null {
  return variations.find((variation) => fits(variation, donation)) ?? null;
}

/** Tests have no channel of their own, so that a streamer can test the variation of every channel by its amount. */
function fits({ from, to, sources, channels }: Variation, { amount, source, channel }: VariedDonation): boolean {
  const fitsAmount = amount >= from && (to === null || amount <= to);
  const fitsSource = sources === null || sources.includes(source);
  const fitsChannel = channels === null || source === "test" || channels.includes(channel);
  return fitsAmount && fitsSource && fitsChannel;
}

/** The first member of the variations that names an image or a sound that the streamer has not, in words; null: there is none. */
export async function findMissingFile(trx: Knex, streamerId: string, variations: readonly Variation[]): Promise<string | null> {
  const uses = variations.flatMap(({ image, sound }, i) => [
    { id: image, kind: "image", pointer: `/variations/${i}/image` },
    { id: sound, kind: "sound", pointer: `/variations/${i}/sound` },
  ]);
  const ids = uses.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return null;
  const found: { id: string; kind: string }[] = await trx("alert_files")
    .where("streamer_id", streamerId)
    .whereIn("id", ids)
    .select("id", "kind");
  const missing = uses.find((use) => use.id !== null && !found.some(({ id, kind }) => id === use.id && kind === use.kind));
  return missing ? `${missing.pointer} must be the id of an uploaded ${missing.kind}.` : null;
}
