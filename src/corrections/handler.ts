// The operation voidDonation.

import { type StoredDonation, toRecord } from "../donations/donation.ts";
import { isId } from "../http/contract/published.ts";
import type { Handler, Principal } from "../http/operations.ts";
import { refusal } from "../http/problem.ts";
import type { Voider } from "./void-donations.ts";

export const voidDonation =
  ({ voider }: { voider: Pick<Voider, "void"> }): Handler<"voidDonation"> =>
  async ({ path, body }, principal) => {
    const { streamerId, applicationId } = principal;
    const { reason, note = null } = body;
    const may = (donation: StoredDonation) => mayVoid(principal, donation);
    const [donation] = isId(path.donationId) ? await voider.void(streamerId, [path.donationId], { reason, note }, may) : [];
    if (!donation || !may(donation)) return refusal("donation_not_found", "There is no such donation that this application may void.");
    if (donation.voided?.reason !== reason)
      return refusal("already_voided", `This donation was voided before: ${donation.voided?.reason}.`);
    return { status: 200, body: { data: toRecord(donation, applicationId) } };
  };

/**
 * An OAuth application may void the donations that it has recorded, because the money went through it. A key of the streamer's own may void
 * every donation. Any other application is answered 404, as for webhooks of other applications: 403 means that a scope is missing, which a new
 * consent can grant.
 */
function mayVoid({ applicationId, credential }: Principal, donation: StoredDonation): boolean {
  return credential.kind === "api_key" || donation.applicationId === applicationId;
}
