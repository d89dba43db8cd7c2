// The alert queue as the API shows it to a streamer.

import type { Knex } from "knex";
import { formatInstant } from "../../base/instant.ts";
import { maxItemsOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import { listPages } from "./connected-pages.ts";
import { isLive, type Overlay, readOverlay } from "./overlay.ts";
import {
  activePartOf,
  type DonationRow,
  donationColumns,
  fromDonationRow,
  openPlaybacks,
  openStates,
  type StoredPlayback,
  untaken,
} from "./playbacks.ts";

type Queue = Schemas["AlertQueue"];
type Queued = Schemas["QueuedPlayback"];

const maxWaiting = maxItemsOf("AlertQueue", "waiting");
const maxHeld = maxItemsOf("AlertQueue", "held");

/** Reads the queue in one snapshot of the database, so that no alert appears twice or is missing. */
export function readQueue(knex: Knex, streamerId: string): Promise<Queue> {
  return knex.transaction(
    async (trx) => {
      const overlay = await readOverlay(trx, streamerId);
      if (!overlay) throw new Error("a principal's streamer must be there");
      const playbacks = await openPlaybacks(trx, streamerId, maxWaiting + 1);
      const playing = playbacks.find((row) => activePartOf(row)) ?? null;
      const waiting = playbacks.filter((row) => row !== playing).map(toQueued);
      const alerts = await waitingAlerts(trx, overlay, maxWaiting);
      return {
        paused: overlay.paused,
        asking: overlay.asking,
        hidden: overlay.hidden,
        connected: isLive(overlay.lease, overlay.now),
        overlays: await listPages(trx, overlay),
        playing: playing && toQueued(playing),
        waiting: [...waiting, ...alerts].slice(0, maxWaiting),
        waitingCount: await countWaiting(trx, overlay),
        held: await heldAlerts(trx, streamerId),
        heldCount: await countHeld(trx, streamerId),
      };
    },
    { isolationLevel: "repeatable read", readOnly: true },
  );
}

/** What tells how the queue stands, without the alerts in it. */
export type QueueState = Pick<Queue, "paused" | "asking" | "hidden" | "connected" | "waitingCount" | "heldCount">;

/** Reads how the queue stands, a few times cheaper than the queue; its counts may be of later instants than the rest. */
export async function readQueueState(knex: Knex, streamerId: string): Promise<QueueState> {
  const [overlay, heldCount] = await Promise.all([readOverlay(knex, streamerId), countHeld(knex, streamerId)]);
  if (!overlay) throw new Error("a streamer with a session must be there");
  const { paused, asking, hidden, lease, now } = overlay;
  return { paused, asking, hidden, connected: isLive(lease, now), waitingCount: await countWaiting(knex, overlay), heldCount };
}

function toQueued(playback: StoredPlayback): Queued {
  const { donationId, donatorName, amount, currency, message, source, replay, masked } = playback;
  return { playbackId: playback.id, donationId, donatorName, amount, currency, message, source, status: playback.state, replay, masked };
}

async function waitingAlerts(trx: Knex, { streamerId, takenSequence }: Overlay, limit: number): Promise<Queued[]> {
  const { rows } = await trx.raw<{ rows: DonationRow[] }>(
    `select ${donationColumns} from alerts a join donations d on d.streamer_id = a.streamer_id and d.id = a.donation_id
     where ${untaken} order by a.sequence limit ?`,
    [streamerId, takenSequence, limit],
  );
  return rows.map((row) => ({ ...fromDonationRow(row), playbackId: null, status: "queued", replay: false, masked: false }));
}

async function countWaiting(trx: Knex, { streamerId, takenSequence }: Overlay): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `select (select count(*) from alerts a where ${untaken})
       + (select count(*) from playbacks p where p.streamer_id = ? and p.state in ${openStates} and p.state not in ('leased', 'playing')) as count`,
    [streamerId, takenSequence, streamerId],
  );
  return rows[0]?.count ?? 0;
}

type HeldRow = DonationRow & { held_at: number; decide_at: number };

async function heldAlerts(trx: Knex, streamerId: string): Promise<Queue["held"]> {
  const { rows } = await trx.raw<{ rows: HeldRow[] }>(
    `select to_millis(h.held_at) as held_at, to_millis(h.decide_at) as decide_at, ${donationColumns}
     from held_alerts h join donations d on d.streamer_id = h.streamer_id and d.id = h.donation_id
     where h.streamer_id = ? order by h.sequence limit ?`,
    [streamerId, maxHeld],
  );
  return rows.map((row) => ({
    ...fromDonationRow(row),
    heldAt: formatInstant(row.held_at),
    decidesAt: formatInstant(row.decide_at),
  }));
}

async function countHeld(trx: Knex, streamerId: string): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>("select count(*) from held_alerts where streamer_id = ?", [streamerId]);
  return rows[0]?.count ?? 0;
}

/** Seconds that the oldest waiting playback has waited, among streamers with a connected overlay; 0 if none waits. */
export async function queueAge(knex: Knex): Promise<number> {
  const { rows } = await knex.raw<{ rows: { seconds: number }[] }>(
    `select coalesce(extract(epoch from now() - min(p.waits_since)), 0)::float8 as seconds
     from playbacks p join overlays o using (streamer_id) where p.state in ('preparing', 'queued') and o.player_until > now() and not o.paused and not o.hidden`,
  );
  return rows[0]?.seconds ?? 0;
}
