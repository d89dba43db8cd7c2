// Measures what recording costs with and without the workers of roll-ups and search: rounds in turn, on one running server.
// "Without" holds the locks by which each worker claims a streamer, so that the workers find nothing to do.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { donators, messages, roundAmounts } from "./seed.ts";
import { count, type Setting } from "./setting.ts";
import { ms, percent, percentile, send, table } from "./timed.ts";

type UpkeepRound = { workers: "on" | "off"; perSecond: number; p50: number; p99: number; rolledUp: number; indexed: number };

const connections = 64;
const roundMs = 8_000;

export async function measureUpkeep(url: string, setting: Setting, rounds: number): Promise<UpkeepRound[]> {
  const locker = new pg.Client({ connectionString: setting.databaseUrl });
  await locker.connect();
  await createFor(url, setting, 2_000); // warms up
  const measured: UpkeepRound[] = [];
  for (let round = 0; round < rounds * 2; round += 1) {
    await settled(setting);
    const workers = (round + (round >> 1)) % 2 === 0 ? "off" : "on"; // off on on off …
    if (workers === "off") await hold(locker);
    const before = await progress(setting);
    const { created, latencies, seconds } = await createFor(url, setting, roundMs);
    const after = await progress(setting);
    if (workers === "off") await locker.query("rollback");
    measured.push({
      workers,
      perSecond: created / seconds,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      rolledUp: (after.rolled - before.rolled) / created,
      indexed: (after.indexed - before.indexed) / created,
    });
  }
  await locker.end();
  return measured;
}

async function createFor(url: string, { keys }: Setting, ms: number) {
  const end = performance.now() + ms;
  const latencies: number[] = [];
  const people = donators(1_000);
  const words = messages(3_000);
  let number = 0;
  const one = async () => {
    while (performance.now() < end) {
      number += 1;
      const body = {
        donatorName: people[(number * 7) % 1_000]?.name,
        amount: roundAmounts[number % roundAmounts.length],
        message: words[(number * 11) % 3_000],
        idempotencyKey: `bench-${Date.now()}-${number}`,
      };
      const answer = await send(`${url}/api/v1/donations`, number % 2 ? keys.busy : keys.busier, JSON.stringify(body));
      if (answer.status !== 201) throw new Error(`a donation was answered ${answer.status}: ${answer.body}`);
      latencies.push(answer.ms);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, one));
  return { created: latencies.length, latencies, seconds: (performance.now() - start) / 1_000 };
}

async function hold(locker: pg.Client): Promise<void> {
  await locker.query("begin");
  await locker.query("select from report_progress order by streamer_id for update");
  await locker.query(
    "select pg_advisory_xact_lock(hashtextextended('search ' || streamer_id, 0)) from streamer_handles where handle in ('busy', 'busier')",
  );
}

// Reads the sequence of the last stored donation instead of the streamer's counter, because a repeated key takes a number but stores nothing.
const progressSql = `
  select sum(coalesce((select max(sequence) from donations d where d.streamer_id = s.streamer_id), 0))::float8 as recorded,
    sum(coalesce((select rolled_sequence from report_progress p where p.streamer_id = s.streamer_id), 0))::float8 as rolled,
    sum(coalesce((select max(last_sequence) from donation_search_blocks b where b.streamer_id = s.streamer_id), 0))::float8 as indexed
  from streamer_handles s where handle in ('busy', 'busier')`;

async function progress({ client }: Pick<Setting, "client">): Promise<{ recorded: number; rolled: number; indexed: number }> {
  return (await client.query(progressSql)).rows[0];
}

/** Waits until the workers have processed all donations of the previous round. */
export async function settled(setting: Pick<Setting, "client">): Promise<void> {
  for (;;) {
    const { recorded, rolled, indexed } = await progress(setting);
    if (rolled >= recorded && recorded - indexed < 512) return;
    await sleep(250);
  }
}

const maxUpkeep = 0.25;

export function upkeepText(rounds: readonly UpkeepRound[]): string[] {
  const median = (workers: string, of: (round: UpkeepRound) => number) =>
    percentile(rounds.filter((round) => round.workers === workers).map(of), 0.5);
  const on = median("on", ({ perSecond }) => perSecond);
  const off = median("off", ({ perSecond }) => perSecond);
  const loss = 1 - on / off;
  const cells = rounds.map((round) => [
    round.workers,
    count(Math.round(round.perSecond)),
    ms(round.p50),
    ms(round.p99),
    percent(round.rolledUp),
    percent(round.indexed),
  ]);
  return [
    table([["workers", "created/s", "p50 ms", "p99 ms", "rolled up meanwhile", "indexed meanwhile"], ...cells]),
    `Medians: ${count(Math.round(on))}/s with the workers, ${count(Math.round(off))}/s without: ${percent(loss)} less` +
      `${loss > maxUpkeep ? `; the aim of at most ${percent(maxUpkeep)} is missed` : ""}.`,
  ];
}
