// The spans in which donations were recorded: kept in the statement that records them, and looked up when something happens to them later.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { startIntervalTask } from "../telemetry/interval-task.ts";
import { activeTracing } from "../telemetry/tracing.ts";

/** Traces are kept for longer than webhooks are retried, which is three days. */
const keptFor = "4 days";
const sweepMs = 3_600_000;
/** The number of donations recorded by this process, the latest ones, whose traces it keeps in memory. */
const maxRecent = 10_000;
const recent = new Map<string, string>();

const keeping = (ids: string, traceparents: string) =>
  `insert into donation_traces (donation_id, traceparent)
  select * from unnest(${ids}::uuid[], ${traceparents}::text[]) on conflict (donation_id) do nothing`;

/** Adds to a recording statement that it keeps the traceparents of donations. `placeholders`: of two arrays, ids and traceparents. */
export function keepingTraces(sql: string, placeholders: readonly [string, string]): string {
  return sql.replace(/^with /m, () => `with traced as (\n  ${keeping(...placeholders)}\n),\n`);
}

/** Keeps the traceparents of donations that were recorded by another statement. */
export async function keepTraces(knex: Knex, ids: readonly string[], traceparents: readonly string[]): Promise<void> {
  await knex.raw(keeping("?", "?"), [ids, traceparents]);
}

/** Notes donations that this process records, so that it need not ask for them. */
export function noteTraces(ids: readonly string[], traceparents: readonly string[]): void {
  for (const [index, id] of ids.entries()) recent.set(id, traceparents[index] as string);
  for (const id of recent.keys()) {
    if (recent.size <= maxRecent) break;
    recent.delete(id);
  }
}

/** By donation: the traceparents of those among these that are traced; none while this process traces nothing, or when they can't be read. */
export async function findTraces(knex: Knex, donationIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (!activeTracing()) return new Map();
  const known = donationIds.flatMap((id) => (recent.has(id) ? [[id, recent.get(id) as string] as const] : []));
  const unknown = [...new Set(donationIds)].filter((id) => !recent.has(id));
  if (unknown.length === 0) return new Map(known);
  const { rows } = await knex
    .raw<{ rows: { id: string; traceparent: string }[] }>(
      "select donation_id as id, traceparent from donation_traces where donation_id = any(?::uuid[])",
      [unknown],
    )
    .catch(() => ({ rows: [] }));
  return new Map([...known, ...rows.map(({ id, traceparent }) => [id, traceparent] as const)]);
}

/** Deletes old traces each hour. Returns what stops it. */
export function sweepTraces(knex: Knex, log: Logger): { stop: () => Promise<void> } {
  if (!activeTracing()) return { stop: async () => {} };
  return startIntervalTask({ pauseMs: sweepMs, log, failureMessage: "old traces of donations could not be deleted" }, async () => {
    await knex.raw(`delete from donation_traces where kept_at < now() - interval '${keptFor}'`);
  });
}
