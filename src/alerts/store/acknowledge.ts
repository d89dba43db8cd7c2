// A player's acknowledgements: a playback has started, or was shown to its end.

import type { Knex } from "knex";
import { activeTracing } from "../../telemetry/tracing.ts";
import { type ShownAlert, traceShown } from "../trace-alerts.ts";
import { changeOverlay, type Overlay, withOverlay } from "./overlay.ts";
import { findPlayback, finishPlayback, readActive, type State, type StoredPlayback, setStarted } from "./playbacks.ts";

export type AcknowledgementRequest = Readonly<{ streamerId: string; playbackId: string; playerId: string }>;
export type Acknowledged = { status: State; changed: boolean } | "unknown" | "conflict";

/** The playback is on screen. `conflict`: it does not belong to this player, or no longer. */
export function acknowledgeStart(knex: Knex, request: AcknowledgementRequest): Promise<Acknowledged> {
  return acknowledge(knex, request, async (trx, overlay, playback) => {
    if (playback.state === "shown") return "shown";
    if (playback.state === "playing" && playback.startedAt !== null) return "playing";
    if (!(await canStart(trx, overlay, playback))) return "conflict";
    await setStarted(trx, { streamerId: request.streamerId, id: playback.id }, overlay.now);
    return "playing";
  });
}

/**
 * The playback was shown to its end. Accepted without an acknowledged start as well, and while its player is disconnected, so that it
 * is not shown again.
 */
export async function acknowledgeEnd(knex: Knex, request: AcknowledgementRequest): Promise<Acknowledged> {
  const { streamerId } = request;
  let shown: ShownAlert | null = null;
  const acknowledged = await acknowledge(knex, request, async (trx, { now }, playback) => {
    const { id, state, donationId, startedAt } = playback;
    if (state === "shown") return "shown";
    if (state !== "queued" && state !== "leased" && state !== "playing") return "conflict";
    await finishPlayback(trx, { streamerId, id }, { state: "shown", reason: null, now });
    shown = { donationId, startedAt: startedAt ?? now, endedAt: now };
    return "shown";
  });
  if (shown && activeTracing()) await traceShown(knex, shown);
  return acknowledged;
}

type Transition = (trx: Knex, overlay: Overlay, playback: StoredPlayback) => Promise<State | "conflict">;

function acknowledge(knex: Knex, request: AcknowledgementRequest, transition: Transition): Promise<Acknowledged> {
  const { streamerId, playbackId, playerId } = request;
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    const playback = await findPlayback(trx, streamerId, playbackId);
    if (!playback) return "unknown";
    if (playback.playerId !== playerId) return "conflict";
    const status = await transition(trx, overlay, playback);
    if (status === "conflict") return status;
    const changed = status !== playback.state || (status === "playing" && playback.startedAt === null);
    if (changed) await changeOverlay(trx, overlay, {});
    return { status, changed };
  });
}

/** Handed to this player; or queued again while the player was disconnected, and no playback was handed out since. */
async function canStart(trx: Knex, { streamerId, lease }: Overlay, { state, playerId }: StoredPlayback): Promise<boolean> {
  if (state === "leased" || state === "playing") return true;
  return state === "queued" && lease.playerId === playerId && (await readActive(trx, streamerId)) === null;
}
