// The playback that a player holds, and when it times out. Pure; all times are the database's, in milliseconds since 1970.

import type { Times } from "../timeouts.ts";

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

export type Lease = Readonly<{ playerId: string | null; connectionId: string | null; until: number | null }>;

/** `isUnresponsive`: the player does not acknowledge, so the server closes its connection; a page that still runs connects again. */
export type TimeoutOutcome =
  | { to: "queued"; attempts: number; losses: number; isUnresponsive: boolean }
  | { to: "unconfirmed"; isUnresponsive: boolean };

/** How often a playback is handed to connected players that do not start it. */
const maxAttempts = 3;
/** How often a playback's player may disconnect: a playback that crashes its page must not block the queue for ever. */
const maxLosses = 10;

export function isLive({ until }: Lease, now: number): boolean {
  return until !== null && until > now;
}

/** What follows from the playback's deadline; null before the deadline. */
export function timeoutOf(playback: ActivePlayback, lease: Lease, now: number, times: Times): TimeoutOutcome | null {
  if (now < deadlineOf(playback, lease, now, times)) return null;
  if (playback.state === "playing") return { to: "unconfirmed", isUnresponsive: isLive(lease, now) && playback.startedAt === null };
  if (!isLive(lease, now)) return timeoutAfterLoss(playback);
  const attempts = playback.attempts + 1;
  return attempts >= maxAttempts
    ? { to: "unconfirmed", isUnresponsive: true }
    : { to: "queued", attempts, losses: playback.losses, isUnresponsive: true };
}

/** When the playback times out unless its player acknowledges or comes back. */
export function deadlineOf(playback: ActivePlayback, lease: Lease, now: number, times: Times): number {
  if (!isLive(lease, now)) return playback.state === "leased" ? now : (lease.until ?? 0) + times.returnLimitMs;
  return playback.startedAt === null ? playback.leasedAt + times.startLimitMs : playback.startedAt + playback.allowedMs;
}

/** Counts a loss of its player, after which it is played from the beginning; null after too many losses. */
export function afterLoss(playback: ActivePlayback): Pick<ActivePlayback, "losses"> | null {
  const losses = playback.losses + 1;
  return losses >= maxLosses ? null : { losses };
}

function timeoutAfterLoss(playback: ActivePlayback): TimeoutOutcome {
  const again = afterLoss(playback);
  return again
    ? { to: "queued", attempts: playback.attempts, losses: again.losses, isUnresponsive: false }
    : { to: "unconfirmed", isUnresponsive: false };
}
