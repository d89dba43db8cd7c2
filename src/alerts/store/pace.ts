// The pace of the queue: the pause between two alerts, and whether so many wait that they are shown for a shorter time.

import type { Knex } from "knex";
import type { Overlay } from "./overlay.ts";
import { waitingStates } from "./playbacks.ts";

/** Milliseconds until the next alert may start; 0 or less: it may start now. */
export function pauseLeft({ clearedAt, settings, now }: Pick<Overlay, "clearedAt" | "settings" | "now">): number {
  return clearedAt === null ? 0 : clearedAt + settings.pauseSeconds * 1000 - now;
}

/** Whether at least `fasterFrom` alerts wait behind the next one. `takenSequence`: alerts up to here have a playback, or never get one. */
export async function isCrowded(trx: Knex, { streamerId, settings }: Overlay, takenSequence: number): Promise<boolean> {
  const { fasterFrom } = settings;
  if (fasterFrom === 0) return false;
  const enough = fasterFrom + 1;
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `select count(*) from (
       (select 1 from playbacks p where p.streamer_id = ? and p.state in ${waitingStates} limit ?)
       union all
       (select 1 from alerts a where a.streamer_id = ? and a.status = 'queued' and a.sequence > ?
          and not exists (select from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id) limit ?)) as waiting`,
    [streamerId, enough, streamerId, takenSequence, enough],
  );
  return (rows[0]?.count ?? 0) >= enough;
}
