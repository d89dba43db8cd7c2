// Decisions about single alerts: approve, mask or deny.

import type { Knex } from "knex";
import { recordAudit } from "../../../audit/audit-log.ts";
import { endUnheld } from "../end-alerts.ts";
import { changeOverlay, type Overlay, withOverlay } from "../overlay.ts";
import { dropHeld, firstState, recordTimedOut, releaseHeld, settleDue, type TimedOut } from "./held-alerts.ts";

export type Decision = "approve" | "mask" | "deny";

const actionsOf = { approve: "alert.approved", mask: "alert.masked", deny: "alert.denied" } as const;

/**
 * Applies a decision. What has timed out is decided by the time-out before, even if no process has noticed it yet. `conflict`: the alert is
 * not held, or (denying) neither held, waiting nor playing.
 */
export function decide(
  knex: Knex,
  streamerId: string,
  donationId: string,
  { decision, hasSpeech }: { decision: Decision; hasSpeech: boolean },
): Promise<"done" | "unknown" | "conflict"> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    if (!(await isKnown(trx, streamerId, donationId))) return "unknown";
    const state = firstState(overlay.settings, hasSpeech);
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
