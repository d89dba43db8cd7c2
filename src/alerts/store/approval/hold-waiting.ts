// Holds alerts that need an approval also while no player is connected, and settles time-outs. Any number of processes may do so.

import type { Knex } from "knex";
import { forEachInTurn, makeYield } from "../../../base/async.ts";
import { verdictOf } from "../../queue/filter.ts";
import { type DonationRow, donationColumns, fromDonationRow } from "../donated.ts";
import { changeOverlay, type Overlay, withOverlay } from "../overlay.ts";
import type { QueueStepDeps } from "../queue-step.ts";
import { firstState, holdAlerts, recordTimedOut, settleDue, type ToHold } from "./held-alerts.ts";

/** Streamers that one sweep covers; the next one continues. */
const streamerBatch = 200;
const alertBatch = 200;

/** Holds and decides what is due; `changed` is told of each streamer whose queue changed. */
export async function settleHeld(
  { knex, hasSpeech }: Pick<QueueStepDeps, "knex" | "hasSpeech">,
  changed: (streamerId: string) => void,
): Promise<void> {
  await forEachInTurn(await findDue(knex), async (streamerId) => {
    const hasChanged = await withOverlay(knex, streamerId, async (trx, overlay) => {
      const examined = await examine(trx, overlay);
      const timedOut = await settleDue(trx, overlay, firstState(overlay.settings, hasSpeech));
      if (timedOut.length === 0 && examined.sequence === overlay.examinedSequence) return false;
      await changeOverlay(trx, overlay, { examinedSequence: examined.sequence });
      await recordTimedOut(trx, overlay, timedOut);
      return timedOut.length > 0 || examined.held > 0;
    });
    if (hasChanged) changed(streamerId);
  });
}

/** Streamers with an alert that was not examined yet, or that is held for too long. */
async function findDue(knex: Knex): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { streamer_id: string }[] }>(
    `select o.streamer_id from overlays o join streamers s on s.id = o.streamer_id
     where (o.settings -> 'approval' is not null or o.settings ->> 'blockedWordAction' = 'hold') and s.last_sequence > o.examined_sequence
     union (select distinct streamer_id from held_alerts where decide_at <= now())
     limit ${streamerBatch}`,
  );
  return rows.map(({ streamer_id }) => streamer_id);
}

/** Holds what needs an approval among the next alerts that no sweep has examined. */
async function examine(trx: Knex, overlay: Overlay): Promise<{ sequence: number; held: number }> {
  const { streamerId, takenSequence, examinedSequence, lastSequence, settings } = overlay;
  const { rows } = await trx.raw<{ rows: (DonationRow & { sequence: number })[] }>(
    `select a.sequence, ${donationColumns} from alerts a join donations d on d.streamer_id = a.streamer_id and d.id = a.donation_id
     where a.streamer_id = :streamerId::uuid and a.status = 'queued' and a.sequence > :after and a.sequence <= :lastSequence
       and not exists (select from playbacks p where p.streamer_id = :streamerId::uuid and p.donation_id = a.donation_id)
     order by a.sequence limit ${alertBatch} for update of a`,
    { streamerId, after: Math.max(takenSequence, examinedSequence), lastSequence },
  );
  const alerts = rows.map((row) => ({ ...fromDonationRow(row), sequence: row.sequence }));
  const held: ToHold[] = [];
  const letOthers = makeYield();
  for (const alert of alerts) {
    await letOthers();
    if (verdictOf(alert, settings) === "hold") held.push(alert);
  }
  await holdAlerts(trx, overlay, held);
  return { sequence: rows.length === alertBatch ? (rows.at(-1)?.sequence ?? lastSequence) : lastSequence, held: held.length };
}
