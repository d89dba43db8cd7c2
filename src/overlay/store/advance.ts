// One step of a streamer's queue, under the lock of its overlay: who plays, what has become of the playback in hand, what comes in,
// what is handed out next. Rows and the database's clock decide, so any process may take the next step.

import { isLive, verdictOn } from "../current-playback.ts";
import { onOverlay, readOverlay } from "./overlay.ts";
import { playNext } from "./play-next.ts";
import { finish, openPlaybacks, requeue, turnOf } from "./playbacks.ts";
import { admit, isHere, released, renewOrRelease } from "./player-lease.ts";
import {
  type Attendance,
  afterMove,
  beginStep,
  endStep,
  inHand,
  type Step,
  type StepParts,
  saveLease,
  type View,
  viewOf,
} from "./queue-step.ts";

/** Takes a step. */
export function advance(parts: StepParts, streamerId: string, attendance: Attendance): Promise<View> {
  return onOverlay(parts.knex, streamerId, async (trx, overlay) => {
    const step = await beginStep(parts, trx, overlay, attendance);
    renewOrRelease(step);
    await judge(step);
    await admit(step);
    await saveLease(step);
    if (isLive(step.lease, step.now) && isHere(step.lease, attendance)) await playNext(step);
    return endStep(step);
  });
}

/** How things stand, without a step and without a lock: for connections that only listen. Null for an unknown streamer. */
export async function look(parts: StepParts, streamerId: string): Promise<View | null> {
  const overlay = await readOverlay(parts.knex, streamerId);
  if (!overlay) return null;
  const rows = await openPlaybacks(parts.knex, streamerId, 1);
  return viewOf(overlay, { rows, parts, cut: null, more: false });
}

/** What time has done to the playback in hand, whoever is connected. */
export async function judge(step: Step): Promise<void> {
  const { trx, now, lease } = step;
  const current = inHand(step);
  const turn = current && turnOf(current);
  const verdict = turn && verdictOn(turn, lease, now, step.parts.times);
  if (!current || !verdict) return;
  if (verdict.to === "queued") await afterMove(step, requeue(trx, current.id, verdict));
  else await afterMove(step, finish(trx, current.id, { state: "unconfirmed", reason: null, now }));
  if (!("cut" in verdict) || !verdict.cut) return;
  step.cut = lease.connectionId;
  step.lease = released(lease, now);
}
