// The playbacks table. Every change of a playback's state is copied to its donation's alert in the same statement.

import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import type { Schemas } from "../../http/operations.ts";
import type { ActivePlayback } from "../current-playback.ts";
import type { PreparedSpeech } from "../dependencies.ts";
import { type DonationContent, type DonationRow, donationColumns, fromDonationRow } from "./donated.ts";

export type State = Schemas["AlertStatus"];
export type Reason = Schemas["SkipReason"];

export type StoredPlayback = DonationContent &
  Readonly<{
    id: string;
    replay: boolean;
    sequence: number;
    state: State;
    speech: { id: string; mime: string; durationMs: number | null } | null;
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
  sequence: number;
  state: State;
  speech_id: string | null;
  speech_mime: string | null;
  speech_ms: number | null;
  attempts: number;
  losses: number;
  player_id: string | null;
  leased_at: number | null;
  started_at: number | null;
  allowed_ms: number | null;
};

const columns = `p.id, p.replay, p.sequence, p.state, p.speech_id, p.speech_mime, p.speech_ms, p.attempts, p.losses, p.player_id,
  to_millis(p.leased_at) as leased_at, to_millis(p.started_at) as started_at, p.allowed_ms, ${donationColumns}`;
const withDonation = "join donations d on d.streamer_id = p.streamer_id and d.id = p.donation_id";
/** The active playback, then replays in the order in which they were requested, then the others in the order of recording. */
const playOrder = `order by p.state in ('leased', 'playing') desc, p.replay desc,
  case when p.replay then p.waits_since end, p.sequence, p.number`;
export const openStates = "('preparing', 'queued', 'leased', 'playing')";
const waitingStates = "('preparing', 'queued')";

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

export type NewPlayback = { donationId: string; sequence: number; replay: boolean; waitsSince: number };

/** Adds playbacks of donations that have no open one. Resolves to their ids. */
export async function addPlaybacks(
  trx: Knex,
  streamerId: string,
  state: "preparing" | "queued",
  playbacks: readonly NewPlayback[],
): Promise<string[]> {
  const ids = playbacks.map(() => uuidv7());
  await trx.raw(
    `with added as (
       insert into playbacks (id, streamer_id, donation_id, number, replay, sequence, state, waits_since)
       select n.id, s.id, n.donation_id,
         1 + (select coalesce(max(number), 0) from playbacks p where p.streamer_id = s.id and p.donation_id = n.donation_id),
         n.replay, n.sequence, ?, from_millis(n.waits_since)
       from unnest(?::uuid[], ?::uuid[], ?::bool[], ?::bigint[], ?::bigint[]) as n(id, donation_id, replay, sequence, waits_since),
         (select ?::uuid as id) s
       returning streamer_id, donation_id, sequence, state
     )
     insert into alerts (streamer_id, donation_id, sequence, status)
     select streamer_id, donation_id, sequence, state from added
     on conflict (streamer_id, donation_id) do update set status = excluded.status, reason = null`,
    [
      state,
      ids,
      playbacks.map(({ donationId }) => donationId),
      playbacks.map(({ replay }) => replay),
      playbacks.map(({ sequence }) => sequence),
      playbacks.map(({ waitsSince }) => Math.round(waitsSince)),
      streamerId,
    ] as never,
  );
  return ids;
}

/** Queues a playback whose speech is made, or will not be (null). Resolves to false if it did not wait for its speech. */
export async function setPrepared(trx: Knex, id: string, speech: PreparedSpeech | null): Promise<boolean> {
  const { hash = null, mime = null, durationMs = null } = speech ?? {};
  return updatePlaybacks(trx, "state = 'queued', speech_id = ?, speech_mime = ?, speech_ms = ?", "p.id = ? and p.state = 'preparing'", [
    hash,
    mime,
    durationMs === null ? null : Math.ceil(durationMs),
    id,
  ]);
}

export type PlaybackLease = { playerId: string; now: number; allowedMs: number };

/** Hands a playback to a player, which has to acknowledge its start. */
export function leasePlayback(trx: Knex, id: string, { playerId, now, allowedMs }: PlaybackLease): Promise<boolean> {
  const set = "state = 'leased', player_id = ?, leased_at = from_millis(?), allowed_ms = ?, started_at = null";
  return updatePlaybacks(trx, set, "p.id = ?", [playerId, now, allowedMs, id]);
}

/** Hands an active playback to its player once more: from the beginning, or to continue it (`losses` null). */
export function renewPlaybackLease(trx: Knex, id: string, { now, losses }: { now: number; losses: number | null }): Promise<boolean> {
  if (losses === null) return updatePlaybacks(trx, "leased_at = from_millis(?)", "p.id = ?", [now, id]);
  return updatePlaybacks(trx, "leased_at = from_millis(?), started_at = null, losses = ?", "p.id = ?", [now, losses, id]);
}

/** Puts a playback back to its place in the queue. */
export function requeuePlayback(trx: Knex, id: string, { attempts, losses }: { attempts: number; losses: number }): Promise<boolean> {
  return updatePlaybacks(trx, "state = 'queued', attempts = ?, losses = ?", "p.id = ?", [attempts, losses, id]);
}

export function setStarted(trx: Knex, id: string, now: number): Promise<boolean> {
  return updatePlaybacks(trx, "state = 'playing', started_at = from_millis(?)", "p.id = ?", [now, id]);
}

export type PlaybackEnd = { state: "shown" | "skipped" | "expired" | "unconfirmed"; reason: Reason | null; now: number };

/** Ends a playback for good. */
export function finishPlayback(trx: Knex, id: string, { state, reason, now }: PlaybackEnd): Promise<boolean> {
  return updatePlaybacks(trx, "state = ?, reason = ?, ended_at = from_millis(?)", "p.id = ?", [state, reason, now, id]);
}

/** Skips all waiting playbacks of a streamer. */
export function skipWaiting(trx: Knex, streamerId: string, now: number): Promise<boolean> {
  const set = "state = 'skipped', reason = 'control', ended_at = from_millis(?)";
  return updatePlaybacks(trx, set, `p.streamer_id = ? and p.state in ${waitingStates}`, [now, streamerId]);
}

/** Skips the playbacks of voided donations that wait or play. */
export function skipOpenOf(trx: Knex, streamerId: string, ended: { donationIds: readonly string[]; now: number }): Promise<boolean> {
  const set = "state = 'skipped', reason = 'voided', ended_at = from_millis(?)";
  const where = `p.streamer_id = ? and p.donation_id = any(?::uuid[]) and p.state in ${openStates}`;
  return updatePlaybacks(trx, set, where, [ended.now, streamerId, ended.donationIds]);
}

/** Expires playbacks that have waited too long without a connected player. Resolves to false if there was none. */
export function expireWaiting(trx: Knex, streamerId: string, { now, absence }: { now: number; absence: number }): Promise<boolean> {
  const waitedTooLong = "absent_time(p.streamer_id, p.waits_since, from_millis(?)) > ? * interval '1 millisecond'";
  return updatePlaybacks(
    trx,
    "state = 'expired', ended_at = from_millis(?)",
    `p.streamer_id = ? and p.state in ${waitingStates} and ${waitedTooLong}`,
    [now, streamerId, now, absence],
  );
}

/** Updates playbacks, and the alerts, which show the state of their latest playback. Resolves to whether any row was updated. */
async function updatePlaybacks(trx: Knex, set: string, where: string, bindings: unknown[]): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `with moved as (update playbacks p set ${set} where ${where} returning p.streamer_id, p.donation_id, p.state, p.reason, p.ended_at)
     update alerts a set status = m.state, reason = m.reason,
       shown_at = case when m.state = 'shown' then coalesce(a.shown_at, m.ended_at) else a.shown_at end
     from moved m where a.streamer_id = m.streamer_id and a.donation_id = m.donation_id`,
    bindings as never,
  );
  return rowCount > 0;
}

function fromRow(row: PlaybackRow): StoredPlayback {
  const { speech_id: id, speech_mime: mime, speech_ms: durationMs } = row;
  return {
    ...fromDonationRow(row),
    id: row.id,
    replay: row.replay,
    sequence: row.sequence,
    state: row.state,
    speech: id === null || mime === null ? null : { id, mime, durationMs },
    attempts: row.attempts,
    losses: row.losses,
    playerId: row.player_id,
    leasedAt: row.leased_at,
    startedAt: row.started_at,
    allowedMs: row.allowed_ms,
  };
}
