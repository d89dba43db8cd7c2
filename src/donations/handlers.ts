// The donation operations of the contract.

import type { CursorCodec } from "../http/cursor.ts";
import type { Handler } from "../http/operations.ts";
import { Problem, refusal } from "../http/problem.ts";
import { isId } from "../http/published.ts";
import { newDonation, toRecord } from "./donation.ts";
import { KeyConflict } from "./key-conflict.ts";
import { readPage } from "./page-request.ts";
import type { Search } from "./search/search.ts";
import type { DonationStore } from "./store.ts";
import type { Writer } from "./writer.ts";

export type DonationParts = { writer: Pick<Writer, "record">; donations: DonationStore; cursors: CursorCodec };

export const createDonation =
  ({ writer }: DonationParts): Handler<"createDonation"> =>
  async ({ body }, principal) => {
    const asked = newDonation(body, principal, { source: "external", channel: "external" });
    const recorded = await writer.record(asked).catch(refusedKey);
    if ("refused" in recorded) return recorded;
    const { created, donation } = recorded;
    const answer = { data: toRecord(donation, principal.applicationId) };
    const location = `/api/v1/donations/${donation.id}`;
    if (created) return { status: 201, headers: { Location: location }, body: answer };
    return { status: 200, headers: { Location: location, "Idempotent-Replayed": "true" }, body: answer };
  };

export const getDonation =
  ({ donations }: DonationParts): Handler<"getDonation"> =>
  async ({ path }, { streamerId, applicationId }) => {
    const donation = isId(path.donationId) ? await donations.find(streamerId, path.donationId) : null;
    if (!donation) return refusal("donation_not_found", "There is no such donation.");
    return { status: 200, body: { data: toRecord(donation, applicationId) } };
  };

export const listDonations =
  ({ donations, cursors }: DonationParts): Handler<"listDonations"> =>
  async (request, { streamerId, applicationId }) => {
    const { page, seal } = readPage(request, cursors, `listDonations ${streamerId}`);
    const { donations: found, last, hasMore } = await donations.page(streamerId, page);
    // By receivedAt there is always a way on: a poller keeps its place on the last page and on an empty one.
    const keepsPlace = page.sort === "receivedAt" || page.sort === "-receivedAt";
    const nextCursor = hasMore || keepsPlace ? seal(last ?? page.after) : null;
    return {
      status: 200,
      body: { data: found.map((donation) => toRecord(donation, applicationId)), pagination: { nextCursor, hasMore, limit: page.limit } },
    };
  };

export const searchDonations =
  ({ donations, search, cursors }: Pick<DonationParts, "donations" | "cursors"> & { search: Search }): Handler<"searchDonations"> =>
  async (request, { streamerId, applicationId }) => {
    const { page, seal } = readPage(request, cursors, `searchDonations ${streamerId}`);
    if (page.q === null) throw missingText();
    const { sequences, last } = await search(streamerId, { ...page, q: page.q });
    const found = await donations.findAll(streamerId, sequences);
    return {
      status: 200,
      body: {
        data: found.map((donation) => toRecord(donation, applicationId)),
        pagination: { nextCursor: last && seal(last), hasMore: last !== null, limit: page.limit },
      },
    };
  };

/** A conflict of idempotency keys as the contract's problem. */
function refusedKey(error: unknown) {
  if (!(error instanceof KeyConflict)) throw error;
  return refusal(error.code, error.message, error.code === "idempotency_in_progress" ? { "Retry-After": "1" } : undefined);
}

function missingText(): Problem {
  const fault = { parameter: "q", code: "required", message: "is required without a cursor" } as const;
  return new Problem("validation_failed", "One rule is broken; errors names it.", { errors: [fault] });
}
