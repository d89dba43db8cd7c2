// The lease of a streamer's player: granted, renewed and released.

import { afterLoss, isLive, type Lease } from "../../player/current-playback.ts";
import { allowedMs } from "../play-next.ts";
import { activePartOf, expireWaiting, findPlayback, leasePlayback as handOut, renewPlaybackLease } from "../playbacks.ts";
import { activePlayback, afterMove, giveUpActive, type LocalConnections, type Player, type QueueStep, refOf } from "../queue-step.ts";
import { endAbsence } from "./absences.ts";
import { askAboutBacklog } from "./backlog.ts";

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

export function releasedLease({ playerId, until }: Lease, now: number): Lease {
  return { playerId, connectionId: null, until: Math.min(until ?? now, now) };
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
  step.lease = { playerId: player.playerId, connectionId: player.connectionId, until: now + deps.times.leaseMs };
  await resumePlayback(step, player);
}

/**
 * A player that comes back takes over its own lease at once. Any player takes a free lease; but while a player that disconnected during
 * a playback may come back, the lease is reserved for it, because nothing may play over that playback.
 */
function choosePlayer(step: QueueStep): Player | null {
  const { lease, now, local, unresponsive } = step;
  const players = local.players.filter(({ connectionId }) => connectionId !== unresponsive);
  const own = players.filter(({ playerId }) => playerId === lease.playerId);
  const returning = own.findLast(({ isJoining: joining, connectionId }) => joining && connectionId !== lease.connectionId);
  if (returning) return returning;
  if (isLive(lease, now)) return null;
  return own.at(-1) ?? (activePlayback(step) ? null : (players[0] ?? null));
}

/** Continues the player's active playback if the player says that it is playing it; else the playback begins again. */
async function resumePlayback(step: QueueStep, { playerId, playing }: Player): Promise<void> {
  const { trx, now, overlay } = step;
  const current = activePlayback(step);
  const active = current && activePartOf(current);
  if (current && active) {
    const again = afterLoss(active);
    if (current.id === playing) {
      if (active.startedAt === null) await afterMove(step, renewPlaybackLease(trx, refOf(step, current), { now, losses: null }));
    } else if (again) await afterMove(step, renewPlaybackLease(trx, refOf(step, current), { now, losses: again.losses }));
    else await giveUpActive(step, current);
    return;
  }
  // A page starts nothing while everything is hidden. A pause ends no alert that is on screen, and this one may be.
  const claimed = playing === null || overlay.hidden ? null : await findPlayback(trx, overlay.streamerId, playing);
  if (claimed?.state === "queued" && claimed.playerId === playerId)
    await afterMove(
      step,
      handOut(trx, refOf(step, claimed), { playerId, now, allowedMs: allowedMs(claimed, step), faster: claimed.faster }),
    );
}
