// The state of a step of a streamer's queue while it is taken: what it has read, what it has changed so far, and the resulting view.

import type { Knex } from "knex";
import type { Speech } from "../../speech/speech-cache.ts";
import type { Times } from "../timeouts.ts";
import { changeOverlay, type Lease, type Overlay } from "./overlay.ts";
import { activePartOf, openPlaybacks, type PlaybackRef, type StoredPlayback } from "./playbacks.ts";

/** A connection that can play. */
export type Player = Readonly<{
  connectionId: string;
  playerId: string;
  /** It has just connected: it takes precedence over older connections of the same player. */
  isJoining: boolean;
  /** Id of the playback that it shows: that it was playing when it connected, or follows now; null: none. */
  playing: string | null;
  /** It is open in OBS. */
  isInObs: boolean;
  /** It is not hidden. */
  isActive: boolean;
}>;

/** The connections of one streamer to this process. */
export type LocalConnections = Readonly<{
  /** Oldest first. */
  players: readonly Player[];
  /** Ids of connections that have closed since the last step. */
  departed: readonly string[];
}>;

/** The queue after a step. */
export type QueueView = Readonly<{
  overlay: Overlay;
  /** Id of the connection that plays, to whichever process; null: none. */
  playerConnectionId: string | null;
  /** The playback that this connection must be playing, and that all others follow. Without a player: the one that goes on without it. */
  playback: StoredPlayback | null;
  /** The first playbacks that wait for their speech. */
  preparing: readonly StoredPlayback[];
  /**
   * Milliseconds until the active playback times out, or until the pause after the last one ends. Null: neither, or nothing may start because
   * the queue is paused or hidden.
   */
  dueInMs: number | null;
  /** Id of the connection to close, because its player does not acknowledge; null: none. */
  unresponsive: string | null;
  /** There is more to do at once: another step must follow. */
  hasMore: boolean;
}>;

export type QueueStepDeps = {
  knex: Knex;
  times: Times;
  /** Null where no engine speaks. */
  speech: Speech | null;
};

export type QueueStep = {
  readonly trx: Knex;
  readonly deps: QueueStepDeps;
  readonly local: LocalConnections;
  /** The overlay as it stands in the database. */
  overlay: Overlay;
  readonly now: number;
  /** The lease that `saveLease` writes. */
  lease: Lease;
  takenSequence: number;
  rows: readonly StoredPlayback[];
  changed: boolean;
  unresponsive: string | null;
  more: boolean;
};

/** Open playbacks that a step reads: the active one and the next ones. */
const maxRows = 10;

export async function beginStep(deps: QueueStepDeps, trx: Knex, overlay: Overlay, local: LocalConnections): Promise<QueueStep> {
  const { lease, takenSequence, now } = overlay;
  const rows = await openPlaybacks(trx, overlay.streamerId, maxRows);
  return { trx, deps, local, overlay, now, lease, takenSequence, rows, changed: false, unresponsive: null, more: false };
}

/** Waits for a change of playbacks, and reads the open ones again. */
export async function afterMove(step: QueueStep, move: Promise<unknown>): Promise<void> {
  await move;
  step.changed = true;
  step.rows = await openPlaybacks(step.trx, step.overlay.streamerId, maxRows);
}

export function refOf({ overlay }: QueueStep, { id }: StoredPlayback): PlaybackRef {
  return { streamerId: overlay.streamerId, id };
}

/** Writes the lease if it has changed; statements that measure the time without a player depend on it. */
export async function saveLease(step: QueueStep): Promise<void> {
  const { trx, overlay, lease } = step;
  if (JSON.stringify(lease) !== JSON.stringify(overlay.lease))
    step.overlay = { ...overlay, lease, version: await changeOverlay(trx, overlay, { lease }) };
}

/** Writes what else has changed, and returns the resulting overlay. */
export async function endStep(step: QueueStep): Promise<Overlay> {
  const { trx, overlay, takenSequence, changed } = step;
  if (changed || takenSequence !== overlay.takenSequence)
    step.overlay = { ...overlay, takenSequence, version: await changeOverlay(trx, overlay, { takenSequence }) };
  return step.overlay;
}

/** The playback that a player holds; null: none. */
export function activePlayback(rows: readonly StoredPlayback[]): StoredPlayback | null {
  return rows.find((row) => activePartOf(row)) ?? null;
}

/** The playbacks that wait, in order. */
export function waitingOf(rows: readonly StoredPlayback[]): StoredPlayback[] {
  return rows.filter(({ state }) => state === "preparing" || state === "queued");
}
