// A player says that a playback has begun, or that it was shown to its end.

import type { Knex } from "knex";
import { changeOverlay, type Overlay, onOverlay } from "./overlay.ts";
import { findPlayback, finish, inHandOf, type State, type StoredPlayback, setStarted } from "./playbacks.ts";

export type Acknowledged = { status: State; changed: boolean } | "unknown" | "conflict";

/** It is on screen. `conflict`: it is not this player's any more. */
export function acknowledgeStart(knex: Knex, streamerId: string, playbackId: string, playerId: string): Promise<Acknowledged> {
  return acknowledging({ knex, streamerId, playbackId, playerId }, async (trx, overlay, playback) => {
    if (playback.state === "shown") return "shown";
    if (playback.state === "playing" && playback.startedAt !== null) return "playing";
    if (!(await mayStart(trx, overlay, playback))) return "conflict";
    await setStarted(trx, playback.id, overlay.now);
    return "playing";
  });
}

/** It is over. Also taken where its start was not heard of, or while its player is away: what was shown is not shown again. */
export function acknowledgeEnd(knex: Knex, streamerId: string, playbackId: string, playerId: string): Promise<Acknowledged> {
  return acknowledging({ knex, streamerId, playbackId, playerId }, async (trx, { now }, { id, state }) => {
    if (state === "shown") return "shown";
    if (state !== "queued" && state !== "leased" && state !== "playing") return "conflict";
    await finish(trx, id, { state: "shown", reason: null, now });
    return "shown";
  });
}

type Asked = { knex: Knex; streamerId: string; playbackId: string; playerId: string };
type Take = (trx: Knex, overlay: Overlay, playback: StoredPlayback) => Promise<State | "conflict">;

function acknowledging({ knex, streamerId, playbackId, playerId }: Asked, take: Take): Promise<Acknowledged> {
  return onOverlay(knex, streamerId, async (trx, overlay) => {
    const playback = await findPlayback(trx, streamerId, playbackId);
    if (!playback) return "unknown";
    if (playback.playerId !== playerId) return "conflict";
    const status = await take(trx, overlay, playback);
    if (status === "conflict") return status;
    const changed = status !== playback.state || (status === "playing" && playback.startedAt === null);
    if (changed) await changeOverlay(trx, overlay, {});
    return { status, changed };
  });
}

/** Handed to this player; or taken back from it while it was away, but nobody else has got anything since. */
async function mayStart(trx: Knex, { streamerId, lease }: Overlay, { state, playerId }: StoredPlayback): Promise<boolean> {
  if (state === "leased" || state === "playing") return true;
  return state === "queued" && lease.playerId === playerId && (await inHandOf(trx, streamerId)) === null;
}
