// Voids donations: one transaction changes the donations, and everything that counts, shows or tells of them. The operation voidDonation.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { endAlerts } from "../alerts/queue/end.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { type StoredDonation, toRecord, type VoidReason } from "../donations/donation.ts";
import { readDonations } from "../donations/rows.ts";
import { lockStreamer, recordEvents } from "../events/log.ts";
import { isId } from "../http/contract/published.ts";
import type { Handler, Principal } from "../http/operations.ts";
import { refusal } from "../http/problem.ts";
import { holdRollUps } from "../reports/roll-ups/removal.ts";

/** Why donations are voided. `note`: the streamer's own; null for none. `freesKeys`: their idempotency keys can be used again. */
type Voiding = Readonly<{ reason: VoidReason; note: string | null; freesKeys?: boolean }>;

/** Voids donations of a streamer by their ids. */
export type Voider = Readonly<{
  /**
   * Voids all of these that are not void, in one transaction, and resolves to the state of each that exists, in no particular order. `may`
   * tells which of them the caller may void. Throws unavailable when the streamer's donations stay locked: nothing was changed then.
   */
  void: (streamerId: string, ids: readonly string[], voiding: Voiding, may?: MayVoid) => Promise<StoredDonation[]>;
  /**
   * Voids any number of donations, in transactions of a bounded size with pauses between them, so that new donations are recorded meanwhile.
   * What is void already stays as it is, so that an interrupted call can be repeated. Resolves to how many it has voided. Throws as `void`.
   */
  voidMany: (streamerId: string, ids: AsyncIterable<string> | Iterable<string>, voiding: Voiding) => Promise<number>;
}>;

type MayVoid = (donation: StoredDonation) => boolean;
type Announce = (streamerId: string) => void;

/** Donations that one transaction voids. While it changes them, none of the streamer can be recorded. */
const chunkSize = 500;
/** Within the time that a caller waits. A fold of the roll-ups, or the streamer's queue, may hold the locks for a moment. */
const lockTimeoutMs = 4_000;

/** `announce`: called with the streamer after a commit. Must not throw. Other processes find the change by themselves within a second. */
export function makeVoider(knex: Knex, announce: Announce = () => {}): Voider {
  const voidOnce = (streamerId: string, ids: readonly string[], voiding: Voiding, may: MayVoid = () => true) =>
    voidInTransaction(knex, announce, { streamerId, ids, voiding, may });
  return {
    void: async (...request) => (await voidOnce(...request)).donations,
    voidMany: async (streamerId, ids, voiding) => {
      let voided = 0;
      for await (const chunk of chunksOf(ids)) {
        const begun = performance.now();
        voided += (await voidOnce(streamerId, chunk, voiding)).voided;
        await sleep(performance.now() - begun); // recording has priority
      }
      return voided;
    },
  };
}

export const voidDonation =
  ({ voider }: { voider: Voider }): Handler<"voidDonation"> =>
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

/**
 * Finds the streamer's own notes beside these donations, by donation id. A donation without a note is missing. No operation of the contract
 * shows them.
 */
export async function findVoidNotes(knex: Knex, streamerId: string, donationIds: readonly string[]): Promise<Map<string, string>> {
  if (donationIds.length === 0) return new Map();
  const { rows } = await knex.raw<{ rows: { id: string; note: string }[] }>(
    "select id, void_note as note from donations where streamer_id = ? and id = any(?::uuid[]) and void_note <> ''",
    [streamerId, donationIds],
  );
  return new Map(rows.map(({ id, note }) => [id, note]));
}

type VoidRequest = { streamerId: string; ids: readonly string[]; voiding: Voiding; may: MayVoid };
type Voided = { donations: StoredDonation[]; voided: number };

async function voidInTransaction(knex: Knex, announce: Announce, request: VoidRequest): Promise<Voided> {
  const { streamerId, ids, may } = request;
  const known = await readDonations(knex, streamerId, ids);
  // No lock for what the caller may not void: it must hold up no one.
  if (!known.some((donation) => isToVoid(donation, may))) return { donations: known, voided: 0 };
  const result = await knex.transaction((transaction) => voidThem(transaction, request));
  if (result.voided > 0) announce(streamerId);
  return result;
}

/**
 * The order of locks: the roll-ups, which keep two voids of a streamer apart; the overlay; the streamer. The rows of donations come last,
 * because a writer holds the streamer's lock when it finds a repeated idempotency key in one of them. What takes time, the roll-ups, comes
 * before the lock that new donations wait for.
 */
async function voidThem(transaction: Knex.Transaction, { streamerId, ids, voiding, may }: VoidRequest): Promise<Voided> {
  await transaction.raw(`set local lock_timeout = ${lockTimeoutMs}`);
  const rollUps = await holdRollUps(transaction, streamerId);
  const found = await readDonations(transaction, streamerId, ids);
  const leaving = found.filter((donation) => isToVoid(donation, may));
  if (leaving.length === 0) return { donations: found, voided: 0 };
  const leavingIds = leaving.map(({ id }) => id);
  await rollUps.remove(leaving.map(({ sequence }) => sequence));
  await endAlerts(transaction, streamerId, leavingIds);
  const at = await lockStreamer(transaction, streamerId);
  await markVoid(transaction, streamerId, { ids: leavingIds, at, voiding });
  const donations = await readDonations(transaction, streamerId, ids);
  const voided = donations.filter(({ id }) => leavingIds.includes(id));
  await recordEvents(
    transaction,
    { streamerId, type: "donation.voided" },
    voided.map((donation) => ({ donationId: donation.id, at, details: detailsOf(donation) })),
  );
  const [target] = leavingIds.length === 1 ? leavingIds : [];
  const details = { reason: voiding.reason, donations: leavingIds.length };
  await recordAudit(transaction, { streamerId, action: "donation.voided", target, details });
  return { donations, voided: voided.length };
}

function isToVoid(donation: StoredDonation, may: MayVoid): boolean {
  return donation.voided === null && may(donation);
}

type Mark = { ids: readonly string[]; at: number; voiding: Voiding };

async function markVoid(transaction: Knex.Transaction, streamerId: string, { ids, at, voiding }: Mark): Promise<void> {
  await transaction.raw(
    `update donations set voided_at = from_millis(?), void_reason = ?, void_note = ?${voiding.freesKeys ? ", idempotency_key = null" : ""}
     where streamer_id = ? and id = any(?::uuid[]) and voided_at is null`,
    [at, voiding.reason, voiding.note, streamerId, ids],
  );
}

/** The reader is no application: the members that are taken are the same for all. */
export function detailsOf(donation: StoredDonation): Record<string, unknown> {
  const { alert, voided } = toRecord(donation, "");
  return { alert, voided };
}

async function* chunksOf(ids: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string[]> {
  let chunk: string[] = [];
  for await (const id of ids) {
    if (chunk.push(id) < chunkSize) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
