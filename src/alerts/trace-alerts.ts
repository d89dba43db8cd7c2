// Spans of what becomes of a donation's alert. They join the trace in which the donation was recorded.

import type { Knex } from "knex";
import { findTraces } from "../db/donation-traces.ts";
import { activeTracing, currentSpan, inSpan } from "../telemetry/tracing.ts";

/** Runs `work`, which makes the speech of a donation's alert, in a span. */
export async function traceSpeech<Result>(knex: Knex, donationId: string, work: () => Promise<Result>): Promise<Result> {
  const tracing = activeTracing();
  const parent = tracing && (await findTraces(knex, [donationId])).get(donationId);
  return tracing && parent !== undefined ? inSpan(tracing.start("prepare speech", { parent }), work) : work();
}

/** `startedAt`, `endedAt`: milliseconds since 1970, by the database's clock. */
export type ShownAlert = Readonly<{ donationId: string; startedAt: number; endedAt: number }>;

/** Records that an alert was shown: the span lasts as long as the alert did, and has a link to the request that acknowledged its end. */
export async function traceShown(knex: Knex, { donationId, startedAt, endedAt }: ShownAlert): Promise<void> {
  const tracing = activeTracing();
  if (!tracing) return;
  const request = currentSpan();
  const parent = (await findTraces(knex, [donationId])).get(donationId);
  if (parent !== undefined) tracing.start("show alert", { parent, startedAt, links: request ? [request] : [] }).end({ at: endedAt });
}
