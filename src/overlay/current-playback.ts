// The playback that a player has in hand, and what time does to it. Pure; all times are the database's, in milliseconds since 1970.

import type { Times } from "./timeouts.ts";

export type Turn = Readonly<{
  state: "leased" | "playing";
  leasedAt: number;
  /** Null until its player says that it has begun, and again after it was handed out once more. */
  startedAt: number | null;
  /** How long it may play. */
  allowedMs: number;
  attempts: number;
  losses: number;
}>;

export type Lease = Readonly<{ playerId: string | null; connectionId: string | null; until: number | null }>;

/** `cut`: its player does not answer, so its connection is ended; one that lives comes back. */
export type Verdict = { to: "queued"; attempts: number; losses: number; cut: boolean } | { to: "unconfirmed"; cut: boolean };

/** A connected player that does not start a playback gets it this often. */
const mostAttempts = 3;
/** A playback may take its player with it: others must come through in the end. */
const mostLosses = 10;

export function isLive({ until }: Lease, now: number): boolean {
  return until !== null && until > now;
}

/** What has become of the turn by now; null: it goes on. */
export function verdictOn(turn: Turn, lease: Lease, now: number, times: Times): Verdict | null {
  if (now < dueAt(turn, lease, now, times)) return null;
  if (turn.state === "playing") return { to: "unconfirmed", cut: isLive(lease, now) && turn.startedAt === null };
  if (!isLive(lease, now)) return lost(turn);
  const attempts = turn.attempts + 1;
  return attempts >= mostAttempts ? { to: "unconfirmed", cut: true } : { to: "queued", attempts, losses: turn.losses, cut: true };
}

/** When time does something to the turn. */
export function dueAt(turn: Turn, lease: Lease, now: number, times: Times): number {
  if (!isLive(lease, now)) return turn.state === "leased" ? now : (lease.until ?? 0) + times.comeBack;
  return turn.startedAt === null ? turn.leasedAt + times.start : turn.startedAt + turn.allowedMs;
}

/** Its player has come back and must play it from the beginning; null when it was lost too often. */
export function handedAgain(turn: Turn): Pick<Turn, "losses"> | null {
  const losses = turn.losses + 1;
  return losses >= mostLosses ? null : { losses };
}

function lost(turn: Turn): Verdict {
  const again = handedAgain(turn);
  return again ? { to: "queued", attempts: turn.attempts, losses: again.losses, cut: false } : { to: "unconfirmed", cut: false };
}
