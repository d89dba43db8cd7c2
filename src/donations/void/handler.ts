// The operation voidDonation.

import { isId } from "../../http/contract/published.ts";
import type { Handler, Principal } from "../../http/operations.ts";
import { refusal } from "../../http/problem.ts";
import { type StoredDonation, toRecord } from "../donation.ts";
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
 * An application of OAuth voids what it has recorded: the money went through it. A key of the streamer's own acts for the streamer. To any
 * other application the donation is not there to be voided, as webhooks are not to an application that has not made them: 403 is for scopes,
 * which a new consent can mend.
 */
function mayVoid({ applicationId, credential }: Principal, donation: StoredDonation): boolean {
  return credential.kind === "api_key" || donation.applicationId === applicationId;
}
