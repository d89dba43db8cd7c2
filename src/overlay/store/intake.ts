// Alerts come in: what the settings let through gets a playback, in the order of recording, and only when a player will need it soon.

import type { Knex } from "knex";
import { refusalOf } from "../alert-filter.ts";
import { type Donated, type DonatedRow, donated, fromDonated } from "./donated.ts";
import type { Overlay } from "./overlay.ts";
import { addPlaybacks } from "./playbacks.ts";

export type Intake = {
  /** Alerts up to here were looked at. */
  takenSequence: number;
  /** Playbacks that were made. */
  taken: number;
  /** There may be more. */
  more: boolean;
};

export type IntakeRules = { wanted: number; state: "preparing" | "queued"; absence: number };

type Waiting = Donated & { sequence: number; waitsSince: number; expired: boolean };
type WaitingRow = DonatedRow & { sequence: number; waits_since: number; expired: boolean };
type Outcome = { status: "skipped" | "expired"; reason: "below_minimum" | "filtered" | null };

/** Alerts that one statement looks at. */
const batch = 50;

/** Takes in up to `wanted` alerts. */
export async function takeIn(trx: Knex, overlay: Overlay, from: number, { wanted, state, absence }: IntakeRules): Promise<Intake> {
  const alerts = await waitingAlerts(trx, overlay.streamerId, from, absence);
  const taken: Waiting[] = [];
  const refused: (Waiting & Outcome)[] = [];
  let looked = 0;
  for (const alert of alerts) {
    if (taken.length === wanted) break;
    looked += 1;
    const outcome = outcomeOf(alert, overlay);
    if (outcome) refused.push({ ...alert, ...outcome });
    else taken.push(alert);
  }
  if (refused.length > 0) await refuse(trx, overlay.streamerId, refused);
  if (taken.length > 0)
    await addPlaybacks(
      trx,
      overlay.streamerId,
      state,
      taken.map((alert) => ({ ...alert, replay: false })),
    );
  return { takenSequence: alerts[looked - 1]?.sequence ?? from, taken: taken.length, more: looked === batch };
}

function outcomeOf(alert: Waiting, { settings }: Overlay): Outcome | null {
  if (alert.expired) return { status: "expired", reason: null };
  const reason = refusalOf(alert, settings);
  return reason && { status: "skipped", reason };
}

/** Claimed by state: the sweep, which expires alerts, holds their rows as well. */
async function waitingAlerts(trx: Knex, streamerId: string, from: number, absence: number): Promise<Waiting[]> {
  const { rows } = await trx.raw<{ rows: WaitingRow[] }>(
    `select a.sequence, to_millis(coalesce(a.received_at, d.received_at)) as waits_since,
       absent_time(a.streamer_id, coalesce(a.received_at, d.received_at), clock_timestamp()) > ? * interval '1 millisecond' as expired, ${donated}
     from alerts a join donations d on d.streamer_id = a.streamer_id and d.id = a.donation_id
     where a.streamer_id = ? and a.status = 'queued' and a.sequence > ?
       and not exists (select from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id)
     order by a.sequence limit ${batch} for update of a`,
    [absence, streamerId, from],
  );
  return rows.map((row) => ({ ...fromDonated(row), sequence: row.sequence, waitsSince: row.waits_since, expired: row.expired }));
}

async function refuse(trx: Knex, streamerId: string, alerts: readonly (Waiting & Outcome)[]): Promise<void> {
  await trx.raw(
    `update alerts a set status = r.status, reason = r.reason from unnest(?::uuid[], ?::text[], ?::text[]) as r(donation_id, status, reason)
     where a.streamer_id = ? and a.donation_id = r.donation_id`,
    [
      alerts.map(({ donationId }) => donationId),
      alerts.map(({ status }) => status),
      alerts.map(({ reason }) => reason),
      streamerId,
    ] as never,
  );
}
