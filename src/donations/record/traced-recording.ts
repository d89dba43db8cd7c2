// Traces the recording of donations: many requests, one statement.

import type { Knex } from "knex";
import type { QueryConfig } from "pg";
import { isDistributed } from "../../db/citus/distributed.ts";
import { keepingTraces, keepTraces, noteTraces } from "../../db/donation-traces.ts";
import { currentSpan, inBatchSpan, type TraceSpan } from "../../telemetry/tracing.ts";
import type { NewDonation } from "../donation.ts";
import type { Insert } from "./attempt.ts";
import { recordStatement, sendBatch } from "./batch.ts";
import type { Writer } from "./writer.ts";

export type TracedRecording = Readonly<{
  insert: Insert;
  /** The same writer; it notes in which span each donation is recorded. */
  noting: (writer: Writer) => Writer;
}>;

export function traceRecording(pool: Knex): TracedRecording {
  const spans = new WeakMap<NewDonation, TraceSpan>();
  return {
    insert: async (donations, skipLocked) => {
      const statement = await recordStatement(pool, donations, skipLocked);
      const traced = donations.flatMap((donation) => {
        const span = spans.get(donation);
        return span ? [{ id: donation.id, span }] : [];
      });
      if (traced.length === 0) return sendBatch(pool, statement);
      const [ids, traceparents] = [traced.map(({ id }) => id), traced.map(({ span }) => span.traceparent)];
      noteTraces(ids, traceparents);
      const callers = traced.map(({ span }) => span);
      if (!isDistributed(pool))
        return inBatchSpan("record donations", callers, () => sendBatch(pool, keeping(statement, ids, traceparents)));
      // Traces are kept by the coordinator, donations by another node: what is lost between the two is one link of a trace.
      const rows = await inBatchSpan("record donations", callers, () => sendBatch(pool, statement));
      await keepTraces(pool, ids, traceparents).catch(() => {});
      return rows;
    },
    noting: (writer) => ({
      ...writer,
      record: (donation) => {
        const span = currentSpan();
        if (span?.isSampled) spans.set(donation, span);
        return writer.record(donation);
      },
    }),
  };
}

const texts = new Map<string, string>();

function keeping({ name = "", text, values = [] }: QueryConfig, ids: readonly string[], traceparents: readonly string[]): QueryConfig {
  const sql = texts.get(name) ?? keepingTraces(text, [`$${values.length + 1}`, `$${values.length + 2}`]);
  texts.set(name, sql);
  return { name: `${name}-traced`, text: sql, values: [...values, ids, traceparents] };
}
