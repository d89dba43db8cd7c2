// Makes the eraser with what other folders have of a donation.

import type { Knex } from "knex";
import type { Config } from "../config.ts";
import { type Sealer, sharedSecret } from "../db/secrets.ts";
import type { ErasureEffects } from "../donations/erasure/erase-rows.ts";
import { type Eraser, makeEraser } from "../donations/erasure/eraser.ts";
import { type Journal, openJournal } from "../donations/erasure/journal.ts";
import type { NamedErasureDeps } from "../donations/erasure/named-erasures.ts";
import { makeRetention, type Retention } from "../donations/erasure/retention.ts";
import { forgetAnswers, forgetLateAnswers, recordErased } from "../events/erased.ts";
import { maxBatchMs } from "../events/webhooks/worker/batches.ts";
import { forgetAlerts } from "../overlay/store/forget-alerts.ts";
import { addDonatorKeys, dropDonatorKeys, holdFolds, pageOfDonatorKeys } from "../reports/removal/donator-numbers.ts";
import { foldAll } from "../reports/roll-ups/rollup.ts";
import { maxSpeechMs } from "../speech/bounded-speaker.ts";
import { forgetSpeech, forgetUnusedSpeech } from "../speech/forget-speech.ts";

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
