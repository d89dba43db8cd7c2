// The playbacks table. Every change of a playback's state is copied to its donation's alert in the same statement.

import type { Knex } from "knex";
import { isDistributed } from "../../db/citus/distributed.ts";
import { newId } from "../../db/ids.ts";
import type { SqlBinding } from "../../db/sql-bindings.ts";
import type { Schemas } from "../../http/operations.ts";
import type { PreparedSpeech } from "../dependencies.ts";
import type { ActivePlayback } from "../player/current-playback.ts";
import type { Variation } from "../settings/settings.ts";
import { type DonationContent, type DonationRow, donationColumns, fromDonationRow } from "./donated.ts";
import { absentTime } from "./players/absent-time.ts";

export type State = Schemas["AlertStatus"];
export type Reason = Schemas["SkipReason"];

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

type PlaybackRow = DonationRow & {
  id: string;
  replay: boolean;
  faster: boolean;
  approved: boolean;
  masked: boolean;
  sequence: number;
  state: State;
  speech_id: string | null;
  speech_mime: string | null;
  speech_ms: number | null;
  variation: Variation | null;
  attempts: number;
  losses: number;
  player_id: string | null;
  leased_at: number | null;
  started_at: number | null;
  allowed_ms: number | null;
};

const columns = `p.id, p.replay, p.faster, p.approved, p.masked, p.sequence, p.state, p.speech_id, p.speech_mime, p.speech_ms, p.variation, p.attempts, p.losses, p.player_id,
  to_millis(p.leased_at) as leased_at, to_millis(p.started_at) as started_at, p.allowed_ms, ${donationColumns}`;
const withDonation = "join donations d on d.streamer_id = p.streamer_id and d.id = p.donation_id";
/** The active playback, then those put next, then replays in the order in which they were requested, then the others in the order of recording. */
const playOrder = `order by p.state in ('leased', 'playing') desc, p.priority desc, p.replay desc,
  case when p.replay then p.waits_since end, p.sequence, p.number`;
export const openStates = "('preparing', 'queued', 'leased', 'playing')";
export const waitingStates = "('preparing', 'queued')";

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

const insertAlerts = (added: string): string => `
  insert into alerts (streamer_id, donation_id, sequence, received_at, status, masked)
  select streamer_id, donation_id, sequence, waits_since, state, masked from ${added}
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
  // A distributed database takes one insert with each statement.
  if (isDistributed(trx)) {
    await trx.raw(insertPlaybacks, values);
    await trx.raw(insertAlerts("playbacks where streamer_id = :streamerId and id = any(:ids::uuid[])"), values);
  } else
    await trx.raw(
      `with added as (${insertPlaybacks} returning streamer_id, donation_id, sequence, waits_since, state, masked) ${insertAlerts("added")}`,
      values,
    );
  return ids;
}

/** A playback of a streamer. */
export type PlaybackRef = Readonly<{ streamerId: string; id: string }>;

/** Queues a playback whose speech is made, or will not be (null). Resolves to false if it did not wait for its speech. */
export async function setPrepared(trx: Knex, { streamerId, id }: PlaybackRef, speech: PreparedSpeech | null): Promise<boolean> {
  const { hash = null, mime = null, durationMs = null } = speech ?? {};
  const made = [hash, mime, durationMs === null ? null : Math.ceil(durationMs)];
  const set: Part = ["state = 'queued', speech_id = ?, speech_mime = ?, speech_ms = ?", ...made];
  return updatePlaybacks(trx, streamerId, { set, where: ["p.id = ? and p.state = 'preparing'", id] });
}

export type PlaybackLease = { playerId: string; now: number; allowedMs: number; faster: boolean };

/** Hands a playback to a player, which has to acknowledge its start. */
export function leasePlayback(trx: Knex, playback: PlaybackRef, { playerId, now, allowedMs, faster }: PlaybackLease): Promise<boolean> {
  const set = "state = 'leased', player_id = ?, leased_at = from_millis(?), allowed_ms = ?, faster = ?, started_at = null";
  return updateOne(trx, playback, [set, playerId, now, allowedMs, faster]);
}

/** Hands an active playback to its player once more: from the beginning, or to continue it (`losses` null). */
export function renewPlaybackLease(
  trx: Knex,
  playback: PlaybackRef,
  { now, losses }: { now: number; losses: number | null },
): Promise<boolean> {
  if (losses === null) return updateOne(trx, playback, ["leased_at = from_millis(?)", now]);
  return updateOne(trx, playback, ["leased_at = from_millis(?), started_at = null, losses = ?", now, losses]);
}

/** Puts a playback back to its place in the queue. */
export function requeuePlayback(
  trx: Knex,
  playback: PlaybackRef,
  { attempts, losses }: { attempts: number; losses: number },
): Promise<boolean> {
  return updateOne(trx, playback, ["state = 'queued', attempts = ?, losses = ?", attempts, losses]);
}

export function setStarted(trx: Knex, playback: PlaybackRef, now: number): Promise<boolean> {
  return updateOne(trx, playback, ["state = 'playing', started_at = from_millis(?)", now]);
}

export type PlaybackEnd = { state: "shown" | "skipped" | "expired" | "unconfirmed"; reason: Reason | null; now: number };

/** Ends a playback for good. */
export function finishPlayback(trx: Knex, playback: PlaybackRef, { state, reason, now }: PlaybackEnd): Promise<boolean> {
  return updateOne(trx, playback, ["state = ?, reason = ?, ended_at = from_millis(?)", state, reason, now]);
}

/** The end of a queue at some time: alerts up to this sequence, and replays that were requested until this time. */
export type QueueEnd = Readonly<{ sequence: number; requestedAt: number }>;

/** Skips up to `limit` waiting playbacks of a streamer that are not behind `end`. Resolves to how many there were. */
export async function skipWaiting(
  trx: Knex,
  streamerId: string,
  { end, now, limit }: { end: QueueEnd; now: number; limit: number },
): Promise<number> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `select p.id from playbacks p where p.streamer_id = :streamerId and p.state in ${waitingStates}
       and case when p.replay then p.waits_since <= from_millis(:requestedAt) else p.sequence <= :sequence end
     order by p.sequence limit :limit`,
    { streamerId, ...end, limit },
  );
  const set: Part = ["state = 'skipped', reason = 'control', ended_at = from_millis(?)", now];
  if (rows.length > 0) await updatePlaybacks(trx, streamerId, { set, where: ["p.id = any(?::uuid[])", rows.map(({ id }) => id)] });
  return rows.length;
}

/** Deletes a playback that no player has had, because its alert is held. */
export async function withdrawPlayback(trx: Knex, { streamerId, id }: PlaybackRef): Promise<void> {
  await trx("playbacks").where({ streamer_id: streamerId, id }).delete();
}

/** Has the speech of waiting playbacks made again, because what may be said has changed. */
export function prepareAgain(trx: Knex, streamerId: string): Promise<boolean> {
  const set: Part = ["state = 'preparing', speech_id = null, speech_mime = null, speech_ms = null"];
  return updatePlaybacks(trx, streamerId, { set, where: ["p.state = 'queued' and p.speech_id is not null"] });
}

export type EndOfDonations = { donationIds: readonly string[]; now: number; reason: "voided" | "denied" | "control" };

/** Skips the playbacks of these donations that wait or play. Resolves to false if there was none. */
export function skipOpenOf(trx: Knex, streamerId: string, { donationIds, now, reason }: EndOfDonations): Promise<boolean> {
  const set: Part = ["state = 'skipped', reason = ?, ended_at = from_millis(?)", reason, now];
  return updatePlaybacks(trx, streamerId, { set, where: [`p.donation_id = any(?::uuid[]) and p.state in ${openStates}`, donationIds] });
}

/** Puts the waiting playback of a donation before all others that wait. Resolves to whether it `moved`, or was the `first` one put so already; `none` waits. */
export async function putFirst(trx: Knex, streamerId: string, donationId: string): Promise<"moved" | "first" | "none"> {
  const { rows } = await trx.raw<{ rows: { id: string; priority: number; highest: number }[] }>(
    `select id, priority, highest from (
       select p.id, p.donation_id, p.priority, max(p.priority) over () as highest from playbacks p
       where p.streamer_id = ? and p.state in ${waitingStates}) as waiting
     where donation_id = ?`,
    [streamerId, donationId],
  );
  const [waiting] = rows;
  if (!waiting) return "none";
  if (waiting.priority > 0 && waiting.priority === waiting.highest) return "first";
  await trx("playbacks")
    .where({ streamer_id: streamerId, id: waiting.id })
    .update({ priority: waiting.highest + 1 });
  return "moved";
}

/** Expires playbacks that have waited too long without a connected player. Resolves to false if there was none. */
export async function expireWaiting(trx: Knex, streamerId: string, { now, absence }: { now: number; absence: number }): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `select p.id from playbacks p where p.streamer_id = :streamerId and p.state in ${waitingStates}
       and ${absentTime(":streamerId::uuid", "p.waits_since", "from_millis(:now)")} > :absence * interval '1 millisecond'`,
    { streamerId, now, absence },
  );
  if (rows.length === 0) return false;
  const set: Part = ["state = 'expired', ended_at = from_millis(?)", now];
  return updatePlaybacks(trx, streamerId, { set, where: ["p.id = any(?::uuid[])", rows.map(({ id }) => id)] });
}

/** SQL with question marks, and what they stand for. */
type Part = readonly [sql: string, ...bindings: SqlBinding[]];

function updateOne(trx: Knex, { streamerId, id }: PlaybackRef, set: Part): Promise<boolean> {
  return updatePlaybacks(trx, streamerId, { set, where: ["p.id = ?", id] });
}

/** Updates playbacks, and the alerts, which show the state of their latest playback. Resolves to whether any row was updated. */
async function updatePlaybacks(trx: Knex, streamerId: string, { set, where }: { set: Part; where: Part }): Promise<boolean> {
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

function fromRow(row: PlaybackRow): StoredPlayback {
  const { speech_id: id, speech_mime: mime, speech_ms: durationMs } = row;
  return {
    ...fromDonationRow(row),
    id: row.id,
    replay: row.replay,
    faster: row.faster,
    approved: row.approved,
    masked: row.masked,
    sequence: row.sequence,
    state: row.state,
    speech: id === null || mime === null ? null : { id, mime, durationMs },
    variation: row.variation,
    attempts: row.attempts,
    losses: row.losses,
    playerId: row.player_id,
    leasedAt: row.leased_at,
    startedAt: row.started_at,
    allowedMs: row.allowed_ms,
  };
}
