// Records donations that rules need and are not about.

import { type Body, donation, freshIdentifier } from "../values/donations.ts";
import { create, type Donation, recorded } from "./api.ts";

type Options = Parameters<typeof create>[1];

/** Records a donation without an alert. */
export const post = async (members: Body, options?: Options): Promise<Donation> =>
  recorded(await create(donation({ skipAlert: true, ...members }), options));

/** Donations with equal and different amounts and times, in the order they were recorded. */
export async function recordSome(count: number, options?: Options): Promise<{ identifier: string; donations: Donation[] }> {
  const identifier = freshIdentifier();
  const donations: Donation[] = [];
  for (let index = 0; index < count; index += 1)
    donations.push(
      await post({ identifier, amount: 1 + ((index * 7) % 5) / 2, createdAt: `2024-0${1 + ((index * 5) % 3)}-01T00:00Z` }, options),
    );
  return { identifier, donations };
}

export const ids = (donations: readonly Donation[]): string[] => donations.map(({ id }) => id);
