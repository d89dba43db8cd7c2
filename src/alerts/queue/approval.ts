// Alerts that are held until they are approved, masked or denied, by hand or by a time-out. Every change holds the lock of the overlay, so
// that an alert has one decision, whoever is first.

import type { Knex } from "knex";
import { actAs } from "../../audit/actor.ts";
import { recordAudit, recordAudits } from "../../audit/audit-log.ts";
import { forEachInTurn, makeYield } from "../../base/async.ts";
import { mayHold, type Settings } from "../settings/settings.ts";
import { type Channel, chooseVariation, verdictOf } from "./filter.ts";
import { changeOverlay, type Overlay, withOverlay } from "./overlay.ts";
import {
  addPlaybacks,
  type DonationContent,
  type DonationRow,
  donationColumns,
  endUnheld,
  fromDonationRow,
  type PlaybackRef,
  type Reason,
} from "./playbacks.ts";
import { firstState } from "./speech.ts";
import type { QueueStepDeps } from "./step.ts";

export type Decision = "approve" | "mask" | "deny";

const actionsOf = { approve: "alert.approved", mask: "alert.masked", deny: "alert.denied" } as const;

/**
 * Applies a decision. What has timed out is decided by the time-out before, even if no process has noticed it yet. `conflict`: the alert is
 * not held, or (denying) neither held, waiting nor playing.
 */
export function decide(
  { knex, speech }: QueueStepDeps,
  decision: Decision,
  { streamerId, donationId }: { streamerId: string; donationId: string },
): Promise<"done" | "unknown" | "conflict"> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    if (!(await isKnown(trx, streamerId, donationId))) return "unknown";
    const state = firstState(overlay.settings, speech);
    const timedOut: TimedOut[] = [];
    for (let due = await settleDue(trx, overlay, state); due.length > 0; due = await settleDue(trx, overlay, state)) timedOut.push(...due);
    const isDecided = decision === "deny" ? await deny(trx, overlay, donationId) : await release(decision === "mask");
    if (isDecided || timedOut.length > 0) await changeOverlay(trx, overlay, {});
    await recordTimedOut(trx, overlay, timedOut);
    if (isDecided) await recordAudit(trx, { streamerId, action: actionsOf[decision], target: donationId });
    return isDecided ? "done" : "conflict";

    async function release(masked: boolean): Promise<boolean> {
      return (await releaseHeld(trx, overlay, [donationId], { state, masked })).length > 0;
    }
  });
}

/** Denies what is held, and ends what waits or plays. */
async function deny(trx: Knex, overlay: Overlay, donationId: string): Promise<boolean> {
  if ((await dropHeld(trx, overlay, [donationId], "denied")).length > 0) return true;
  return endUnheld(trx, overlay, { donationIds: [donationId], reason: "denied" });
}

async function isKnown(trx: Knex, streamerId: string, donationId: string): Promise<boolean> {
  return (await trx("donations").where({ streamer_id: streamerId, id: donationId }).first("id")) !== undefined;
}

type ToHold = { donationId: string; sequence: number };

/** Alerts of one streamer that one statement decides. */
const dueBatch = 200;

/** Holds waiting alerts from now on. */
export async function holdAlerts(trx: Knex, { streamerId, settings, now }: Overlay, alerts: readonly ToHold[]): Promise<void> {
  if (alerts.length === 0) return;
  const ids = alerts.map(({ donationId }) => donationId);
  await trx.raw(
    `insert into held_alerts (streamer_id, donation_id, sequence, held_at, decide_at)
     select ?::uuid, h.donation_id, h.sequence, from_millis(?), from_millis(?) from unnest(?::uuid[], ?::bigint[]) as h(donation_id, sequence)
     on conflict do nothing`,
    [streamerId, now, now + settings.approvalSeconds * 1000, ids, alerts.map(({ sequence }) => sequence)],
  );
  await trx.raw("update alerts set status = 'held', reason = null where streamer_id = ? and donation_id = any(?::uuid[])", [
    streamerId,
    ids,
  ]);
}

type Release = { masked: boolean; state: "preparing" | "queued" };

/** Lets held alerts play, at their place in the queue. Resolves to those that there were. */
async function releaseHeld(trx: Knex, overlay: Overlay, donationIds: readonly string[], release: Release): Promise<Held[]> {
  const taken = await takeHeld(trx, overlay, donationIds);
  const { state, masked } = release;
  const { variations } = overlay.settings;
  const playbacks = taken.map((alert) => {
    const variation = chooseVariation(variations, alert);
    return { ...alert, replay: false, waitsSince: overlay.now, approved: true, masked, variation };
  });
  if (playbacks.length > 0) await addPlaybacks(trx, overlay.streamerId, state, playbacks);
  return taken;
}

/** Ends held alerts. Resolves to those that there were. */
export async function dropHeld(trx: Knex, overlay: Overlay, donationIds: readonly string[], reason: Reason): Promise<Held[]> {
  const taken = await takeHeld(trx, overlay, donationIds);
  if (taken.length > 0)
    await trx.raw("update alerts set status = 'skipped', reason = ? where streamer_id = ? and donation_id = any(?::uuid[])", [
      reason,
      overlay.streamerId,
      taken.map(({ donationId }) => donationId),
    ]);
  return taken;
}

/** Ids of up to `limit` held alerts of the streamer whose sequence is at most `upTo`. */
export async function heldIds(trx: Knex, streamerId: string, { upTo, limit }: { upTo: number; limit: number }): Promise<string[]> {
  return trx("held_alerts")
    .where("streamer_id", streamerId)
    .where("sequence", "<=", upTo)
    .orderBy("donation_id")
    .limit(limit)
    .pluck("donation_id");
}

/** Finds those of these donations whose alerts are held. */
export async function findHeld(knex: Knex, streamerId: string, donationIds: readonly string[]): Promise<Set<string>> {
  if (donationIds.length === 0) return new Set();
  return new Set(await knex("held_alerts").where("streamer_id", streamerId).whereIn("donation_id", donationIds).pluck("donation_id"));
}

/** An alert that a time-out decided about. `seconds`: how long it was held at most. */
type TimedOut = Readonly<{ donationId: string; seconds: number; decision: Settings["onTimeout"] }>;

/**
 * Decides by the streamer's setting about what is held for too long, by the database's clock. Resolves to what was decided about, for
 * recordTimedOut.
 */
async function settleDue(trx: Knex, overlay: Overlay, state: Release["state"]): Promise<readonly TimedOut[]> {
  const due: string[] = await trx("held_alerts")
    .where("streamer_id", overlay.streamerId)
    .whereRaw("decide_at <= from_millis(?)", [overlay.now])
    .orderBy("sequence")
    .limit(dueBatch)
    .pluck("donation_id");
  if (due.length === 0) return [];
  const { onTimeout: decision } = overlay.settings;
  const taken =
    decision === "drop"
      ? await dropHeld(trx, overlay, due, "timed_out")
      : await releaseHeld(trx, overlay, due, { state, masked: decision === "mask" });
  return taken.map(({ donationId, seconds }) => ({ donationId, seconds, decision }));
}

/** Notes in the audit log that nobody decided in time. Call it last, as recordAudit. */
function recordTimedOut(trx: Knex, { streamerId }: Overlay, timedOut: readonly TimedOut[]): Promise<void> {
  const lines = timedOut.map(({ donationId: target, seconds, decision }) => {
    return { streamerId, action: "alert.timed_out", target, details: { decision, seconds } } as const;
  });
  return actAs({ kind: "server" }, () => recordAudits(trx, lines));
}

/** `seconds`: from when it was held until its time-out. */
type HeldColumns = { channel: Channel; sequence: number; seconds: number };
type Held = DonationContent & HeldColumns;

async function takeHeld(trx: Knex, { streamerId }: Overlay, donationIds: readonly string[]): Promise<Held[]> {
  const { rows } = await trx.raw<{ rows: (DonationRow & HeldColumns)[] }>(
    `delete from held_alerts h using donations d
     where h.streamer_id = ? and h.donation_id = any(?::uuid[]) and d.streamer_id = h.streamer_id and d.id = h.donation_id
     returning h.sequence, extract(epoch from h.decide_at - h.held_at)::integer as seconds, d.channel, ${donationColumns}`,
    [streamerId, donationIds],
  );
  return rows
    .map((row) => ({ ...fromDonationRow(row), channel: row.channel, sequence: row.sequence, seconds: row.seconds }))
    .sort((a, b) => a.sequence - b.sequence);
}

/** Deletes a playback that no player has had, because its alert is held. */
export async function withdrawPlayback(trx: Knex, { streamerId, id }: PlaybackRef): Promise<void> {
  await trx("playbacks").where({ streamer_id: streamerId, id }).delete();
}

/** Streamers that one sweep covers; the next one continues. */
const streamerBatch = 200;
const alertBatch = 200;

/** Holds and decides what is due; `changed` is told of each streamer whose queue changed. */
export async function settleHeld({ knex, speech }: QueueStepDeps, changed: (streamerId: string) => void): Promise<void> {
  await forEachInTurn(await findDue(knex), async (streamerId) => {
    const hasChanged = await withOverlay(knex, streamerId, async (trx, overlay) => {
      const examined = await examine(trx, overlay);
      const timedOut = await settleDue(trx, overlay, firstState(overlay.settings, speech));
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

/** Finds those of the donations whose alert waits or may have to wait for an approval, was denied, was not approved in time, or was masked. */
export async function findUnseen(
  knex: Knex,
  { streamerId, settings, takenSequence, examinedSequence }: Overlay,
  donationIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (donationIds.length === 0) return new Set();
  const seenUpTo = mayHold(settings) ? Math.max(takenSequence, examinedSequence) : null;
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `select a.donation_id as id from alerts a
     where a.streamer_id = ? and a.donation_id = any(?::uuid[]) and (a.status = 'held' or a.sequence > ?::bigint or a.reason in ('denied', 'timed_out') or exists (
       select from playbacks p where p.streamer_id = ? and p.donation_id = a.donation_id and p.masked
     ))`,
    [streamerId, donationIds, seenUpTo, streamerId],
  );
  return new Set(rows.map(({ id }) => id));
}
