// Who plays: the lease of a streamer's player, taken, kept and let go of.

import { handedAgain, isLive, type Lease } from "../current-playback.ts";
import { endAbsence } from "./absences.ts";
import { allowedMs } from "./play-next.ts";
import { expireWaiting, findPlayback, finish, lease as handOut, leaseAgain, turnOf } from "./playbacks.ts";
import { type Attendance, afterMove, inHand, type Player, type Step } from "./queue-step.ts";

/** Who has gone lets go of the lease; who is still here keeps it, even where it could not be renewed in time. */
export function renewOrRelease(step: Step): void {
  const { lease, now, attendance, parts } = step;
  if (lease.connectionId === null) return;
  if (attendance.gone.includes(lease.connectionId)) step.lease = released(lease, now);
  else if (isHere(lease, attendance) && !isLive(lease, now)) step.lease = { ...lease, until: now + parts.times.lease };
}

export function released({ playerId, until }: Lease, now: number): Lease {
  return { playerId, connectionId: null, until: Math.min(until ?? now, now) };
}

/** Whether the player that holds the lease is connected to this process. */
export function isHere({ connectionId }: Lease, { players }: Attendance): boolean {
  return connectionId !== null && players.some((player) => player.connectionId === connectionId);
}

/** Gives the lease to a player that is here, where that is its right. */
export async function admit(step: Step): Promise<void> {
  const player = entitled(step);
  if (!player) return;
  const { trx, overlay, now, parts } = step;
  const expired = await expireWaiting(trx, overlay.streamerId, { now, absence: parts.times.absence });
  if (expired) await afterMove(step, Promise.resolve());
  await endAbsence(trx, { ...overlay, lease: step.lease });
  step.lease = { playerId: player.playerId, connectionId: player.connectionId, until: now + parts.times.lease };
  await resume(step, player);
}

/**
 * A player that comes back takes its own lease at once. Anybody takes a free one; but as long as a player that went away in mid-play
 * may come back, it is kept for that one: nothing may play over it.
 */
function entitled(step: Step): Player | null {
  const { lease, now, attendance, cut } = step;
  const players = attendance.players.filter(({ connectionId }) => connectionId !== cut);
  const own = players.filter(({ playerId }) => playerId === lease.playerId);
  const returning = own.findLast(({ joining, connectionId }) => joining && connectionId !== lease.connectionId);
  if (returning) return returning;
  if (isLive(lease, now)) return null;
  return own.at(-1) ?? (inHand(step) ? null : (players[0] ?? null));
}

/** The playback that the player had in hand goes on where it says that it is playing it, else begins anew. */
async function resume(step: Step, { playerId, playing }: Player): Promise<void> {
  const { trx, now, overlay } = step;
  const current = inHand(step);
  const turn = current && turnOf(current);
  if (current && turn) {
    const again = handedAgain(turn);
    if (current.id === playing) {
      if (turn.startedAt === null) await afterMove(step, leaseAgain(trx, current.id, { now, losses: null }));
    } else if (again) await afterMove(step, leaseAgain(trx, current.id, { now, losses: again.losses }));
    else await afterMove(step, finish(trx, current.id, { state: "unconfirmed", reason: null, now }));
    return;
  }
  const claimed = playing === null ? null : await findPlayback(trx, overlay.streamerId, playing);
  if (claimed?.state === "queued" && claimed.playerId === playerId)
    await afterMove(step, handOut(trx, claimed.id, { playerId, now, allowedMs: allowedMs(claimed, step) }));
}
