// Makes the eraser with what other folders have of a donation.

import type { Knex } from "knex";
import { forgetAlerts } from "../../alerts/store/forget-alerts.ts";
import type { Config } from "../../config.ts";
import { type Sealer, sharedSecret } from "../../db/secrets.ts";
import { forgetAnswers, forgetLateAnswers, recordErased } from "../../events/erased.ts";
import { maxBatchMs } from "../../events/webhooks/worker/batches.ts";
import { addDonatorKeys, dropDonatorKeys, holdFolds, pageOfDonatorKeys } from "../../reports/removal/donator-numbers.ts";
import { foldAll } from "../../reports/roll-ups/rollup.ts";
import { maxSpeechMs } from "../../speech/bounded-speaker.ts";
import { forgetSpeech, forgetUnusedSpeech } from "../../speech/speech-store.ts";
import type { ErasureEffects } from "./erase-rows.ts";
import { type Eraser, makeEraser } from "./eraser.ts";
import { type Journal, openJournal } from "./journal.ts";
import type { NamedErasureDeps } from "./named-erasures.ts";
import { makeRetention, type Retention } from "./retention.ts";

export type EraserParts = Readonly<{ eraser: Eraser; retention: Retention; journal: Journal; named: NamedErasureDeps }>;

type OpenEraserDeps = {
  knex: Knex;
  config: Pick<Config, "erasureJournal">;
  sealer: Sealer;
  /** Called after each commit that erased something. Must not throw. */
  announce?: (streamerId: string) => void;
};

export const erasureEffects: ErasureEffects = {
  holdFolds,
  addDonatorKeys,
  dropDonatorKeys,
  forgetAlerts,
  forgetSpeech,
  forgetAnswers,
  recordErased,
};

export async function openEraser({ knex, config, sealer, announce = () => {} }: OpenEraserDeps): Promise<EraserParts> {
  const journal = openJournal(config.erasureJournal);
  await journal.requireWritable();
  const secret = await sharedSecret(knex, "erasures", sealer);
  const fold = (streamerId: string) => foldAll(knex, streamerId);
  const deps = { ...erasureEffects, knex, journal, secret, fold, announce };
  const eraser = makeEraser(deps);
  return { eraser, retention: makeRetention(deps), journal, named: { knex, secret, eraser, fold, pageOfDonatorKeys } };
}

/** How long after an erasure the speech and the requests to receivers that were under way may still bring something. */
export const lateMs = Math.max(maxSpeechMs, maxBatchMs);

/** Erases what requests under way wrote after the erasure, and speech that no alert has used. */
export async function forgetLate(knex: Knex, streamerId: string, since: number): Promise<void> {
  await forgetUnusedSpeech(knex, streamerId);
  await forgetLateAnswers(knex, streamerId, since);
}
