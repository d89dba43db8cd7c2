// Voids donations.

import { expect } from "vitest";

import type { components } from "../../../generated/api.d.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { type Donation, readDonation } from "./api.ts";
import { expectNow } from "./expect-now.ts";
import { send } from "./http-client.ts";

export type VoidReason = components["schemas"]["VoidReason"];
type Options = Omit<Request, "path" | "body" | "method">;

export const voidReasons: readonly VoidReason[] = ["refund", "chargeback", "mistake", "fraud", "test"];

/** POST /api/v1/donations/{id}/void with this body. */
export const voidDonation = (id: string, body: unknown, options: Options = {}): Promise<Reply> =>
  send({
    method: "POST",
    path: `/api/v1/donations/${id}/void`,
    ...options,
    headers: { "Content-Type": "application/json", ...options.headers },
    body: JSON.stringify(body),
  });

/** Voids it. Returns the donation as it is answered: as it was, and void. */
export async function takeBack(donation: Donation, reason: VoidReason = "mistake", options: Options = {}): Promise<Donation> {
  const reply = await voidDonation(donation.id, { reason }, options);
  const answered = readDonation(reply);
  expect(answered.voided).toEqual({ at: expect.any(String), reason });
  expectNow(answered.voided?.at ?? null, reply);
  return answered;
}
