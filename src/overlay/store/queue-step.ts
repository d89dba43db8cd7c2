// A step of a streamer's queue as it is taken: what it found, what it has changed so far, how things stand after it.

import type { Knex } from "knex";
import { dueAt, isLive, type Lease } from "../current-playback.ts";
import type { Times } from "../timeouts.ts";
import { changeOverlay, type Overlay } from "./overlay.ts";
import { openPlaybacks, type StoredPlayback, turnOf } from "./playbacks.ts";

/** A connection that can play. */
export type Player = Readonly<{
  connectionId: string;
  playerId: string;
  /** It has just come: older connections of the same player give way. */
  joining: boolean;
  /** What it says that it is playing, as it comes. */
  playing: string | null;
}>;

/** Who is connected to this process. */
export type Attendance = Readonly<{
  /** Oldest first. */
  players: readonly Player[];
  /** Connections that have gone. */
  gone: readonly string[];
}>;

/** How things stand after a step. */
export type View = Readonly<{
  overlay: Overlay;
  /** The connection that plays, of whichever process; null: none. */
  holder: string | null;
  /** What that connection must be playing. */
  playback: StoredPlayback | null;
  /** The first that wait for their speech. */
  preparing: readonly StoredPlayback[];
  /** Milliseconds until time does something; null: it does nothing. */
  dueIn: number | null;
  /** The connection to be ended, because it does not answer. */
  cut: string | null;
  /** There is more to do at once. */
  more: boolean;
}>;

export type StepParts = {
  knex: Knex;
  times: Times;
  /** Whether there is anything that speaks. */
  speaks: boolean;
};

export type Step = {
  readonly trx: Knex;
  readonly parts: StepParts;
  readonly attendance: Attendance;
  /** As it stands in the database. */
  overlay: Overlay;
  readonly now: number;
  /** As it will stand there. */
  lease: Lease;
  takenSequence: number;
  rows: readonly StoredPlayback[];
  changed: boolean;
  cut: string | null;
  more: boolean;
};

/** Open playbacks that a step looks at: the one in hand and the next ones. */
const looked = 10;

export async function beginStep(parts: StepParts, trx: Knex, overlay: Overlay, attendance: Attendance): Promise<Step> {
  const { lease, takenSequence, now } = overlay;
  const rows = await openPlaybacks(trx, overlay.streamerId, looked);
  return { trx, parts, attendance, overlay, now, lease, takenSequence, rows, changed: false, cut: null, more: false };
}

/** Notes that something was moved, and looks again. */
export async function afterMove(step: Step, move: Promise<unknown>): Promise<void> {
  await move;
  step.changed = true;
  step.rows = await openPlaybacks(step.trx, step.overlay.streamerId, looked);
}

/** Writes who plays; from then on the time without a player is counted by that. */
export async function saveLease(step: Step): Promise<void> {
  const { trx, overlay, lease } = step;
  if (JSON.stringify(lease) !== JSON.stringify(overlay.lease))
    step.overlay = { ...overlay, lease, version: await changeOverlay(trx, overlay, { lease }) };
}

/** Writes what else has changed. */
export async function endStep(step: Step): Promise<View> {
  const { trx, overlay, takenSequence, changed } = step;
  if (changed || takenSequence !== overlay.takenSequence)
    step.overlay = { ...overlay, takenSequence, version: await changeOverlay(trx, overlay, { takenSequence }) };
  return viewOf(step.overlay, step);
}

/** The playback that a player has in hand. */
export function inHand({ rows }: Pick<Step, "rows">): StoredPlayback | null {
  return rows.find((row) => turnOf(row)) ?? null;
}

/** Those that wait, in order. */
export function waitingOf({ rows }: Pick<Step, "rows">): StoredPlayback[] {
  return rows.filter(({ state }) => state === "preparing" || state === "queued");
}

type Seen = Pick<Step, "rows" | "parts" | "cut" | "more">;

export function viewOf(overlay: Overlay, seen: Seen): View {
  const { lease, now } = overlay;
  const current = inHand(seen);
  const turn = current && turnOf(current);
  const live = isLive(lease, now);
  return {
    overlay,
    holder: live ? lease.connectionId : null,
    playback: live && current?.playerId === lease.playerId ? current : null,
    preparing: waitingOf(seen).filter(({ state }) => state === "preparing"),
    dueIn: turn && dueAt(turn, lease, now, seen.parts.times) - now,
    cut: seen.cut,
    more: seen.more,
  };
}
