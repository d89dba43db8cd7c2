// The lease of a streamer's player, which one browser holds: granted, renewed and released. A single alert is leased in start.ts.

import type { Knex } from "knex";
import { forEachInTurn } from "../../base/async.ts";
import { eachPart, placed } from "../../db/citus/layout.ts";
import type { SqlBinding } from "../../db/sql-values.ts";
import type { Times } from "../timeouts.ts";
import { afterLoss, giveUpActive } from "./end.ts";
import { endAbsence, expireWaiting } from "./expiry.ts";
import { isLive, type Lease, releasedLease } from "./overlay.ts";
import { askAboutBacklog } from "./pace.ts";
import { activePartOf, type PlaybackRef, updateOne } from "./playbacks.ts";
import { goOn } from "./start.ts";
import { activePlayback, afterMove, type LocalConnections, type Player, type QueueStep, refOf } from "./step.ts";

/** Releases the lease of a connection that has closed, and renews that of an open one when a renewal was missed, also after its end. */
export function renewOrRelease(step: QueueStep): void {
  const { lease, now, local, deps } = step;
  if (lease.connectionId === null) return;
  if (local.departed.includes(lease.connectionId)) step.lease = releasedLease(lease, now);
  else if (isLocal(lease, local) && isOverdue(lease, step)) step.lease = { ...lease, until: now + deps.times.leaseMs };
}

/** A renewal was missed: it leaves out overlays that are locked. */
function isOverdue({ until }: Lease, { now, deps }: QueueStep): boolean {
  const { leaseMs, renewIntervalMs } = deps.times;
  return until === null || until <= now || until - now < leaseMs - 2 * renewIntervalMs;
}

/** Whether the player that holds the lease is connected to this process. */
export function isLocal({ connectionId }: Lease, { players }: LocalConnections): boolean {
  return connectionId !== null && players.some((player) => player.connectionId === connectionId);
}

/** Grants the lease to a connected player that is entitled to it. */
export async function grantLease(step: QueueStep): Promise<void> {
  const player = choosePlayer(step);
  if (!player) return;
  const { trx, overlay, now, deps } = step;
  const expired = await expireWaiting(trx, overlay.streamerId, { now, absence: deps.times.absenceLimitMs });
  if (expired) await afterMove(step, Promise.resolve());
  await askAboutBacklog(step);
  await endAbsence(trx, { ...overlay, lease: step.lease });
  step.lease = { playerId: player.playerId, connectionId: player.connectionId, until: now + deps.times.leaseMs, rank: rankOf(player) };
  await resumePlayback(step, player);
}

/** Who leads, between two alerts: the lowest number first. The streamer's choice comes before all of them. */
function rankOf({ isInObs, isActive }: Pick<Player, "isInObs" | "isActive">): number {
  return (isInObs ? 1 : 3) + (isActive ? 0 : 1);
}

/**
 * A player that comes back takes over its own lease at once. While a playback is active, its player leads; when it has disconnected, one that
 * shows the playback takes over, else the lease is reserved for it, because nothing may play over that playback. Between two playbacks the
 * page of the lowest rank leads, and among equal ones the one that has the lease.
 */
function choosePlayer(step: QueueStep): Player | null {
  const { lease, now, local, unresponsive } = step;
  const players = local.players.filter(({ connectionId }) => connectionId !== unresponsive);
  const own = players.filter(({ playerId }) => playerId === lease.playerId);
  const returning = own.findLast(({ isJoining: joining, connectionId }) => joining && connectionId !== lease.connectionId);
  const current = activePlayback(step.rows);
  if (!current) return chooseLeader(step, players, returning ?? own.at(-1));
  if (returning) return returning;
  if (isLive(lease, now)) return null;
  return own.at(-1) ?? players.find(({ playing }) => playing === current.id) ?? null;
}

/** The player that takes the lease between two playbacks; null: the lease stays where it is. `own`: the one that holds it, if it is connected here. */
function chooseLeader({ lease, now, overlay }: QueueStep, players: readonly Player[], own: Player | undefined): Player | null {
  const rank = ({ playerId }: { playerId: string | null }, ofPage: number) => (playerId === overlay.chosenPlayerId ? 0 : ofPage);
  const rankNow = (player: Player) => rank(player, rankOf(player));
  const newest = players.filter((one, place) => !players.some(({ playerId }, later) => later > place && playerId === one.playerId));
  const [first] = newest.sort((a, b) => rankNow(a) - rankNow(b));
  if (!first) return null;
  const held = isLive(lease, now);
  const leader = own && rankNow(own) <= rankNow(first) ? own : first;
  if (held && !own && rankNow(leader) >= rank(lease, lease.rank)) return null;
  return held && leader.connectionId === lease.connectionId ? null : leader;
}

/** Continues the active playback if the player shows it; else the playback begins again. */
async function resumePlayback(step: QueueStep, player: Player): Promise<void> {
  const current = activePlayback(step.rows);
  const active = current && activePartOf(current);
  if (!current || !active) return goOn(step, player);
  const { trx, now } = step;
  const again = afterLoss(active);
  if (current.id === player.playing) {
    if (active.startedAt === null) await afterMove(step, renewPlaybackLease(trx, refOf(step, current), { now, losses: null }));
    else if (current.playerId !== player.playerId)
      await afterMove(step, updateOne(trx, refOf(step, current), ["player_id = ?", player.playerId]));
  } else if (again) await afterMove(step, renewPlaybackLease(trx, refOf(step, current), { now, losses: again.losses }));
  else await giveUpActive(step, current);
}

/** Hands an active playback to its player once more: from the beginning, or to continue it (`losses` null). */
function renewPlaybackLease(trx: Knex, playback: PlaybackRef, { now, losses }: { now: number; losses: number | null }): Promise<boolean> {
  if (losses === null) return updateOne(trx, playback, ["leased_at = from_millis(?)", now]);
  return updateOne(trx, playback, ["leased_at = from_millis(?), started_at = null, losses = ?", now, losses]);
}

export type HeldLease = { streamerId: string; connectionId: string };

/** Renews the leases that these connections still hold. A locked overlay is left out, for its next step or the next renewal. */
export async function renewLeases(knex: Knex, leases: readonly HeldLease[], { leaseMs }: Times): Promise<void> {
  await changeHeld(knex, leases, unlockedSql(knex, "player_until = now() + :leaseMs * interval '1 millisecond'"), { leaseMs });
}

const release = "connection_id = null, player_until = least(player_until, now()), version = version + 1";

/**
 * Releases the leases of these connections, because the server stops. The next step of any process settles their active playbacks.
 * Overlays that are locked come last, one at a time; rejects when one of them stays locked.
 */
export async function releaseLeases(knex: Knex, held: readonly HeldLease[]): Promise<void> {
  if (held.length === 0) return;
  await changeHeld(knex, held, unlockedSql(knex, release));
  await forEachInTurn(await findHeld(knex, held), (lease) => changeHeld(knex, [lease], heldSql(release)));
}

/** SQL over `overlays o` and the leases that connections may hold. */
const possibleLeases = "unnest(:streamers::uuid[], :connections::uuid[]) as held(streamer_id, connection_id)";
const isHeld = "o.streamer_id = any(:ids::uuid[]) and o.streamer_id = held.streamer_id and o.connection_id = held.connection_id";

/** Changes the overlays whose leases these connections still hold, and waits for those that are locked. */
const heldSql = (changes: string): string => `update overlays o set ${changes} from ${possibleLeases} where ${isHeld}`;

/** The same, and leaves out those that are locked. Citus knows `for update` in statements about one streamer alone. */
const unlockedSql = placed({
  onServer: (_, changes: string) => `with unlocked as materialized (
           select o.streamer_id from overlays o, ${possibleLeases} where ${isHeld} order by o.streamer_id for update of o skip locked)
         update overlays o set ${changes} from unlocked where o.streamer_id = unlocked.streamer_id`,
  onNodes: (_, changes: string) => heldSql(changes),
});

async function changeHeld(knex: Knex, held: readonly HeldLease[], sql: string, bindings: Record<string, number> = {}): Promise<void> {
  await eachPart(knex, streamersOf(held), async (ids) => {
    await knex.raw(sql, { ...bindings, ...heldBy(held, ids) });
    return [];
  });
}

/** The leases that these connections still hold. */
function findHeld(knex: Knex, held: readonly HeldLease[]): Promise<HeldLease[]> {
  return eachPart(knex, streamersOf(held), async (ids) => {
    const { rows } = await knex.raw<{ rows: HeldLease[] }>(
      `select o.streamer_id as "streamerId", o.connection_id as "connectionId" from overlays o, ${possibleLeases} where ${isHeld}`,
      heldBy(held, ids),
    );
    return rows;
  });
}

function streamersOf(held: readonly HeldLease[]): string[] {
  return [...new Set(held.map(({ streamerId }) => streamerId))];
}

/** The bindings of `possibleLeases` and `isHeld` for these streamers. */
function heldBy(held: readonly HeldLease[], ids: readonly string[]): Record<string, SqlBinding> {
  const own = held.filter(({ streamerId }) => ids.includes(streamerId));
  return {
    ids,
    streamers: own.map(({ streamerId }) => streamerId),
    connections: own.map(({ connectionId }) => connectionId),
  };
}
