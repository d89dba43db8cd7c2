// The donation operations of the contract, and the list of streaming categories.

import type { Knex } from "knex";
import { foldPart } from "../base/text.ts";
import type { RepeatCache } from "../db/answer-cache.ts";
import type { ExactReads } from "../db/exact-reads.ts";
import { isId } from "../http/contract/published.ts";
import type { CursorCodec } from "../http/cursor.ts";
import { etagOf, isKnown } from "../http/etags.ts";
import { type Handler, jsonString, type Schemas } from "../http/operations.ts";
import { refusal } from "../http/problem.ts";
import { external, newDonation, toRecord } from "./donation.ts";
import { readPage } from "./list/page-request.ts";
import type { Reader } from "./open-readers.ts";
import { KeyConflict } from "./record/attempt.ts";
import type { Writer } from "./record/writer.ts";
import type { DonationStore } from "./store.ts";

export const createDonation =
  (writer: Writer): Handler<"createDonation"> =>
  async ({ body }, principal) => {
    const requested = newDonation(body, principal, external);
    const recorded = await writer.record(requested).catch(toKeyRefusal);
    if ("refused" in recorded) return recorded;
    const { created, donation } = recorded;
    const answer = { data: toRecord(donation, principal.applicationId) };
    const location = `/api/v1/donations/${donation.id}`;
    if (created) return { status: 201, headers: { Location: location }, body: answer };
    return { status: 200, headers: { Location: location, "Idempotent-Replayed": "true" }, body: answer };
  };

export const getDonation =
  (donations: DonationStore): Handler<"getDonation"> =>
  async ({ path }, { streamerId, applicationId }) => {
    const donation = isId(path.donationId) ? await donations.find(streamerId, path.donationId) : null;
    if (!donation) return refusal("donation_not_found", "There is no such donation.");
    return { status: 200, body: { data: toRecord(donation, applicationId) } };
  };

export const listDonations =
  (read: ExactReads<Reader>, cursors: CursorCodec, cached: RepeatCache): Handler<"listDonations"> =>
  async (request, { streamerId, applicationId }) => {
    const key = { streamerId, text: keyText("listDonations", request, applicationId), showsAlerts: true };
    const json = await cached(key, async () => {
      const { page, seal } = readPage(request, cursors, `listDonations ${streamerId}`);
      const { donations: rows, last, hasMore } = await read(streamerId, ({ donations }) => donations.page(streamerId, page));
      // Ordered by receivedAt every page has a cursor: a client that polls continues from the last page, and from an empty one.
      const isPollable = page.sort === "receivedAt" || page.sort === "-receivedAt";
      const nextCursor = hasMore || isPollable ? seal(last ?? page.after) : null;
      return jsonString({
        data: rows.map((donation) => toRecord(donation, applicationId)),
        pagination: { nextCursor, hasMore, limit: page.limit },
      } satisfies Schemas["DonationPage"]);
    });
    return { status: 200, json };
  };

export const searchDonations =
  (read: ExactReads<Reader>, cursors: CursorCodec, cached: RepeatCache): Handler<"searchDonations"> =>
  async (request, { streamerId, applicationId }) => {
    const key = { streamerId, text: keyText("searchDonations", request, applicationId), showsAlerts: true };
    const json = await cached(key, async () => {
      const { page, seal } = readPage(request, cursors, `searchDonations ${streamerId}`);
      const q = page.q as string; // a search has a text, or a cursor with one (unstatedFaults)
      const { rows, last } = await read(streamerId, async ({ donations, search }) => {
        const { found, last } = await search(streamerId, { ...page, q, whole: true });
        return { rows: await donations.findAll(streamerId, found), last };
      });
      return jsonString({
        data: rows.map((donation) => toRecord(donation, applicationId)),
        pagination: { nextCursor: last && seal(last), hasMore: last !== null, limit: page.limit },
      } satisfies Schemas["DonationPage"]);
    });
    return { status: 200, json };
  };

/** What a page depends on, beside the streamer: the parameters, which of them were sent, and who reads (idempotency keys are their own). */
function keyText(operation: string, { query, given }: { query: object; given: readonly string[] }, applicationId: string): string {
  return `${operation} ${applicationId} ${JSON.stringify([query, given])}`;
}

/** The contract's problem for a conflict of idempotency keys; throws every other error again. */
function toKeyRefusal(error: unknown) {
  if (!(error instanceof KeyConflict)) throw error;
  return refusal(error.code, error.message, error.code === "idempotency_in_progress" ? { "Retry-After": "1" } : undefined);
}

// Streaming categories, which are reference data: their SQL, and the operation listStreamingCategories.

type Row = { id: string; position: number; name_th: string; name_en: string };

/** All categories, or those with a name that contains the text, in the order in which lists show them. */
export const listStreamingCategories =
  (knex: Knex): Handler<"listStreamingCategories"> =>
  async ({ query, header }) => {
    const term = foldPart(query.q ?? "");
    const rows = await knex<Row>("streaming_categories").orderBy("position");
    const matching = rows.filter(({ name_th, name_en }) => [name_th, name_en].some((name) => foldPart(name).includes(term)));
    const body = { data: matching.map(({ id, name_th, name_en }) => ({ id, name: { th: name_th, en: name_en } })) };
    const headers = { ETag: etagOf(body), "Cache-Control": "private, max-age=3600" } as const;
    return isKnown(header["If-None-Match"], headers.ETag) ? { status: 304, headers } : { status: 200, headers, body };
  };
