// The playbacks table: one row for each time that an alert plays. Every change of a playback's state is copied to its donation's alert in the
// same transaction.

import type { Knex } from "knex";
import { newId } from "../../db/ids.ts";
import type { SqlBinding } from "../../db/sql-values.ts";
import type { Schemas } from "../../http/operations.ts";
import { completeVariation, type NewVariation, type Variation } from "../settings/settings.ts";
import type { Overlay } from "./overlay.ts";

export type State = Schemas["AlertStatus"];

export type Reason = Schemas["SkipReason"];

export type DonationContent = Readonly<
  Pick<Schemas["Playback"], "donationId" | "donatorName" | "amount" | "currency" | "message" | "source">
>;

export type DonationRow = Omit<DonationContent, "amount"> & { amount: string };

/** Select list over `donations d`. */
export const donationColumns = `d.id as "donationId", d.donator_name as "donatorName", d.amount, d.currency, d.message, d.source`;

export function fromDonationRow({ donationId, donatorName, amount, currency, message, source }: DonationRow): DonationContent {
  return { donationId, donatorName, amount: Number(amount), currency, message, source };
}

export type StoredPlayback = DonationContent &
  Readonly<{
    id: string;
    replay: boolean;
    /** Many alerts waited when it was handed out: it is shown for half the time. */
    faster: boolean;
    /** Held and then approved: filters do not hold or skip it again. */
    approved: boolean;
    /** Name and message are hidden on stream. */
    masked: boolean;
    sequence: number;
    state: State;
    speech: { id: string; mime: string; durationMs: number | null } | null;
    /** As it was when the playback was queued; null: the default look. */
    variation: Variation | null;
    attempts: number;
    losses: number;
    /** The player that it was handed to last. */
    playerId: string | null;
    leasedAt: number | null;
    startedAt: number | null;
    allowedMs: number | null;
  }>;

type PlaybackRow = Omit<StoredPlayback, "amount" | "speech" | "variation"> &
  DonationRow & { speechId: string | null; speechMime: string | null; speechMs: number | null; variation: NewVariation | null };

export type ActivePlayback = Readonly<{
  state: "leased" | "playing";
  leasedAt: number;
  /** Null until its player has acknowledged the start, and again after it was handed out once more. */
  startedAt: number | null;
  /** How long it may play. */
  allowedMs: number;
  attempts: number;
  losses: number;
}>;

const columns = `p.id, p.replay, p.faster, p.approved, p.masked, p.sequence, p.state, p.speech_id as "speechId", p.speech_mime as "speechMime",
  p.speech_ms as "speechMs", p.variation, p.attempts, p.losses, p.player_id as "playerId", to_millis(p.leased_at) as "leasedAt",
  to_millis(p.started_at) as "startedAt", p.allowed_ms as "allowedMs", ${donationColumns}`;

const withDonation = "join donations d on d.streamer_id = p.streamer_id and d.id = p.donation_id";

/** The active playback, then those put next, then replays in the order in which they were requested, then the others in the order of recording. */
const playOrder = `order by p.state in ('leased', 'playing') desc, p.priority desc, p.replay desc,
  case when p.replay then p.waits_since end, p.sequence, p.number`;

export const openStates = "('preparing', 'queued', 'leased', 'playing')";

export const waitingStates = "('preparing', 'queued')";

/** Alerts `a` of a streamer, behind a sequence, that have no playback yet. */
export const untaken = `a.streamer_id = ? and a.status = 'queued' and a.sequence > ?
  and not exists (select from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id)`;

/** The active playback and the first ones that wait, in order. */
export async function openPlaybacks(knex: Knex, streamerId: string, limit: number): Promise<StoredPlayback[]> {
  const { rows } = await knex.raw<{ rows: PlaybackRow[] }>(
    `select ${columns} from playbacks p ${withDonation} where p.streamer_id = ? and p.state in ${openStates} ${playOrder} limit ?`,
    [streamerId, limit],
  );
  return rows.map(fromRow);
}

/** The streamer's active playback; null if there is none. */
export async function readActive(knex: Knex, streamerId: string): Promise<StoredPlayback | null> {
  const [first] = await openPlaybacks(knex, streamerId, 1);
  return first && activePartOf(first) ? first : null;
}

/** One playback of the streamer; null for an unknown one. */
export async function findPlayback(knex: Knex, streamerId: string, id: string): Promise<StoredPlayback | null> {
  const { rows } = await knex.raw<{ rows: PlaybackRow[] }>(
    `select ${columns} from playbacks p ${withDonation} where p.streamer_id = ? and p.id = ?`,
    [streamerId, id],
  );
  return rows[0] ? fromRow(rows[0]) : null;
}

/** What the rules for time-outs need of a playback; null for one that no player holds. */
export function activePartOf({ state, leasedAt, startedAt, allowedMs, attempts, losses }: StoredPlayback): ActivePlayback | null {
  if ((state !== "leased" && state !== "playing") || leasedAt === null || allowedMs === null) return null;
  return { state, leasedAt, startedAt, allowedMs, attempts, losses };
}

export type NewPlayback = {
  donationId: string;
  sequence: number;
  replay: boolean;
  waitsSince: number;
  variation: Variation | null;
  approved?: boolean;
  masked?: boolean;
};

const insertPlaybacks = `
  insert into playbacks (id, streamer_id, donation_id, number, replay, sequence, state, waits_since, variation, approved, masked)
  select n.id, s.id, n.donation_id,
    1 + (select coalesce(max(number), 0) from playbacks p where p.streamer_id = :streamerId::uuid and p.donation_id = n.donation_id),
    n.replay, n.sequence, :state::text, from_millis(n.waits_since), n.variation::jsonb, n.approved, n.masked
  from streamers s cross join unnest(:ids::uuid[], :donations::uuid[], :replays::bool[], :sequences::bigint[], :since::bigint[], :variations::text[],
    :approved::bool[], :masked::bool[]) as n(id, donation_id, replay, sequence, waits_since, variation, approved, masked)
  where s.id = :streamerId::uuid`;

const insertAlerts = `
  insert into alerts (streamer_id, donation_id, sequence, received_at, status, masked)
  select streamer_id, donation_id, sequence, waits_since, state, masked from playbacks where streamer_id = :streamerId and id = any(:ids::uuid[])
  on conflict (streamer_id, donation_id) do update set status = excluded.status, reason = null, masked = excluded.masked`;

/** Adds playbacks of donations that have no open one. Resolves to their ids. */
export async function addPlaybacks(
  trx: Knex,
  streamerId: string,
  state: "preparing" | "queued",
  playbacks: readonly NewPlayback[],
): Promise<string[]> {
  const ids = playbacks.map(() => newId());
  const values = {
    streamerId,
    state,
    ids,
    donations: playbacks.map(({ donationId }) => donationId),
    replays: playbacks.map(({ replay }) => replay),
    sequences: playbacks.map(({ sequence }) => sequence),
    since: playbacks.map(({ waitsSince }) => Math.round(waitsSince)),
    variations: playbacks.map(({ variation }) => variation && JSON.stringify(variation)),
    approved: playbacks.map(({ approved = false }) => approved),
    masked: playbacks.map(({ masked = false }) => masked),
  } as never;
  await trx.raw(insertPlaybacks, values);
  await trx.raw(insertAlerts, values);
  return ids;
}

/** A playback of a streamer. */
export type PlaybackRef = Readonly<{ streamerId: string; id: string }>;

type EndOfDonations = { donationIds: readonly string[]; now: number; reason: "voided" | "denied" | "control" };

/** Skips the playbacks of these donations that wait or play. Resolves to false if there was none. */
function skipOpenOf(trx: Knex, streamerId: string, { donationIds, now, reason }: EndOfDonations): Promise<boolean> {
  const set: Part = ["state = 'skipped', reason = ?, ended_at = from_millis(?)", reason, now];
  return updatePlaybacks(trx, streamerId, { set, where: [`p.donation_id = any(?::uuid[]) and p.state in ${openStates}`, donationIds] });
}

/** SQL with question marks, and what they stand for. */
export type Part = readonly [sql: string, ...bindings: SqlBinding[]];

/** Updates one playback. Resolves to whether it is there. */
export function updateOne(trx: Knex, { streamerId, id }: PlaybackRef, set: Part): Promise<boolean> {
  return updatePlaybacks(trx, streamerId, { set, where: ["p.id = ?", id] });
}

/** Updates playbacks, and the alerts, which show the state of their latest playback. Resolves to whether any row was updated. */
export async function updatePlaybacks(trx: Knex, streamerId: string, { set, where }: { set: Part; where: Part }): Promise<boolean> {
  const [[change, ...changed], [condition, ...conditions]] = [set, where];
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `with moved as (
       update playbacks p set ${change} where p.streamer_id = ? and ${condition}
       returning p.streamer_id, p.donation_id, p.state, p.reason, p.ended_at
     )
     update alerts a set status = m.state, reason = m.reason,
       shown_at = case when m.state = 'shown' then coalesce(a.shown_at, m.ended_at) else a.shown_at end
     from moved m where a.streamer_id = ? and a.streamer_id = m.streamer_id and a.donation_id = m.donation_id`,
    [...changed, streamerId, ...conditions, streamerId],
  );
  return rowCount > 0;
}

function fromRow({ amount, speechId: id, speechMime: mime, speechMs: durationMs, variation, ...row }: PlaybackRow): StoredPlayback {
  const speech = id === null || mime === null ? null : { id, mime, durationMs };
  return { ...row, amount: Number(amount), speech, variation: variation && completeVariation(variation) };
}

/** Skips the alerts of these donations that wait or play. Resolves to false if there was none. */
export async function endUnheld(trx: Knex, { streamerId, now }: Overlay, end: Omit<EndOfDonations, "now">): Promise<boolean> {
  const hadPlayback = await skipOpenOf(trx, streamerId, { ...end, now });
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update alerts set status = 'skipped', reason = ? where streamer_id = ? and donation_id = any(?::uuid[]) and status = 'queued'`,
    [end.reason, streamerId, end.donationIds],
  );
  return hadPlayback || rowCount > 0;
}
