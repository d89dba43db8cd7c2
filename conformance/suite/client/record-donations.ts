// Records donations that rules need and are not about.

import { expect } from "vitest";
import type { components } from "../../../generated/api.d.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { type Body, donation, freshIdentifier } from "../values/donations.ts";
import { create, type Donation, readDonation, recorded } from "./api.ts";
import { expectNow } from "./expect-within.ts";
import { send } from "./http-client.ts";

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

// Voids donations.

export type VoidReason = components["schemas"]["VoidReason"];
type VoidOptions = Omit<Request, "path" | "body" | "method">;

export const voidReasons: readonly VoidReason[] = ["refund", "chargeback", "mistake", "fraud", "test"];

/** POST /api/v1/donations/{id}/void with this body. */
export const voidDonation = (id: string, body: unknown, options: VoidOptions = {}): Promise<Reply> =>
  send({
    method: "POST",
    path: `/api/v1/donations/${id}/void`,
    ...options,
    headers: { "Content-Type": "application/json", ...options.headers },
    body: JSON.stringify(body),
  });

/** Voids it. Returns the donation as it is answered: as it was, and void. */
export async function takeBack(donation: Donation, reason: VoidReason = "mistake", options: VoidOptions = {}): Promise<Donation> {
  const reply = await voidDonation(donation.id, { reason }, options);
  const answered = readDonation(reply);
  expect(answered.voided).toEqual({ at: expect.any(String), reason });
  expectNow(answered.voided?.at ?? null, reply);
  return answered;
}
