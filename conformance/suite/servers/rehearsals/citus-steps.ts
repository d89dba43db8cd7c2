// What happens to the machines of a Citus cluster under load, one step after the other.

import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { CitusCluster } from "../citus.ts";
import { type Cluster, withConnection } from "../cluster.ts";
import type { Load, startLoad, TwoServers } from "./load.ts";

type Streamer = { handle: string; key: string; load: ReturnType<typeof startLoad> };
export type TestBed = { cluster: CitusCluster; servers: TwoServers; streamers: readonly Streamer[] };

/** What happened in a step. */
export type Row = Readonly<{
  step: string;
  /** Streamers whose machine was away, or whose shard has moved. */
  streamers: number;
  /** Donations of all streamers. */
  acknowledged: number;
  /** Answered 503: not recorded, and posted again. Of those streamers, and of all others. */
  refused: number;
  refusedElsewhere: number;
  /** Answered 500, or not at all: the outcome is unknown. Of those streamers, and of all others. */
  unknown: number;
  unknownElsewhere: number;
  /** Seconds without the machine, or of the move. */
  seconds: number;
  /** Seconds until a donation of each other streamer was recorded that was posted in the step, at most `longestGap`. */
  others: number;
  /** Seconds from the end of it until a donation of each of its streamers was recorded. */
  back: number;
}>;

/** Seconds. A caller is answered within 5 s; one who posts the next donation then waits as long again. */
export const longestGap = 10;
const frozenMs = 30_000;

/** Its streamers meet the gap. */
const goneMs = 2_000;

export async function killWorker(testBed: TestBed, worker: Cluster, step: string): Promise<Row> {
  return leaveWorker(testBed, worker, { step, leave: worker.sigkill, comeBack: worker.start, ms: goneMs });
}

/** Its processes stop, and close no connection. */
export async function freezeWorker(testBed: TestBed, worker: Cluster): Promise<Row> {
  const step = `worker frozen for ${frozenMs / 1_000} s`;
  return leaveWorker(testBed, worker, { step, leave: worker.freeze, comeBack: worker.thaw, ms: frozenMs });
}

export async function killCoordinator({ cluster, streamers }: TestBed): Promise<Row> {
  const count = countFrom(streamers, []);
  await cluster.coordinator.sigkill();
  const killedAt = performance.now();
  await sleep(goneMs);
  await cluster.coordinator.start();
  const startedAt = performance.now();
  const back = await Promise.all(streamers.map((streamer) => whenAcknowledged(streamer, startedAt)));
  const seconds = { seconds: inSeconds(startedAt - killedAt), others: 0, back: inSeconds(Math.max(...back) - startedAt) };
  return { step: "coordinator killed", streamers: streamers.length, ...count(), ...seconds };
}

export async function addWorker({ cluster, streamers }: TestBed): Promise<Row> {
  const count = countFrom([], streamers);
  const begunAt = performance.now();
  const added = await cluster.addWorker();
  await withConnection(cluster.url, rebalance);
  const movedAt = performance.now();
  const { there } = await divide(cluster, streamers, added);
  const others = await untilAllRecorded(streamers, movedAt);
  const seconds = { seconds: inSeconds(movedAt - begunAt), others, back: 0 };
  return { step: "a worker added, shards rebalanced", streamers: there.length, ...count(), ...seconds };
}

type Absence = { step: string; leave: () => void | Promise<void>; comeBack: () => void | Promise<void>; ms: number };

async function leaveWorker({ cluster, streamers }: TestBed, worker: Cluster, { step, leave, comeBack, ms }: Absence): Promise<Row> {
  const { there, elsewhere } = await divide(cluster, streamers, worker);
  const count = countFrom(there, elsewhere);
  await leave();
  const leftAt = performance.now();
  const others = await untilAllRecorded(elsewhere, leftAt);
  await sleep(Math.max(0, leftAt + ms - performance.now()));
  await comeBack();
  const backAt = performance.now();
  const back = await Promise.all(there.map((streamer) => whenAcknowledged(streamer, backAt)));
  const seconds = { seconds: inSeconds(backAt - leftAt), others, back: inSeconds(Math.max(backAt, ...back) - backAt) };
  return { step, streamers: there.length, ...count(), ...seconds };
}

async function divide({ url }: CitusCluster, streamers: readonly Streamer[], worker: Cluster) {
  const ports = await withConnection(url, nodesOfStreamers);
  const isThere = ({ handle }: Streamer) => ports.get(handle) === Number(new URL(worker.url).port);
  return { there: streamers.filter(isThere), elsewhere: streamers.filter((streamer) => !isThere(streamer)) };
}

/** Begins to count; the result is what was counted since. */
function countFrom(there: readonly Streamer[], elsewhere: readonly Streamer[]) {
  const sums = (streamers: readonly Streamer[]) => {
    const counted = streamers.map(({ load }) => load.counted());
    const sum = (value: (of: (typeof counted)[number]) => number) => counted.reduce((total, of) => total + value(of), 0);
    return { acknowledged: sum((of) => of.acknowledged), refused: sum((of) => of.refused), unknown: sum((of) => of.unknown) };
  };
  const [here, others] = [sums(there), sums(elsewhere)];
  return () => {
    const [hereNow, othersNow] = [sums(there), sums(elsewhere)];
    return {
      acknowledged: hereNow.acknowledged - here.acknowledged + othersNow.acknowledged - others.acknowledged,
      refused: hereNow.refused - here.refused,
      refusedElsewhere: othersNow.refused - others.refused,
      unknown: hereNow.unknown - here.unknown,
      unknownElsewhere: othersNow.unknown - others.unknown,
    };
  };
}

/** The seconds from `since` until a donation of each streamer is acknowledged that was posted after it; no more than `longestGap`. */
async function untilAllRecorded(streamers: readonly Streamer[], since: number): Promise<number> {
  await Promise.all(streamers.map(({ load }) => isAcknowledged(load, since, longestGap * 1_000)));
  return inSeconds(performance.now() - since);
}

/** Whether a donation that was posted after `since` is acknowledged within the time. */
async function isAcknowledged(load: Load, since: number, ms: number): Promise<boolean> {
  return Promise.race([load.acknowledgedSince(since).then(() => true), sleep(ms, false, { ref: false })]);
}

async function whenAcknowledged({ handle, load }: Streamer, since: number): Promise<number> {
  if (!(await isAcknowledged(load, since, 120_000))) throw new Error(`no donation of ${handle} was recorded within 120 s`);
  return performance.now();
}

const inSeconds = (ms: number): number => Math.round(ms / 100) / 10;

// Where Citus keeps the rows of streamers, as the coordinator says.

/** The ports of the nodes that hold the streamers' donations, by handle. */
async function nodesOfStreamers(coordinator: pg.Client): Promise<Map<string, number>> {
  const { rows: streamers } = await coordinator.query<{ id: string; handle: string }>(
    "select streamer_id as id, handle from streamer_handles",
  );
  const { rows } = await coordinator.query<{ handle: string; port: number }>(
    `select s.handle, n.nodeport as port from unnest($1::text[], $2::uuid[]) s(handle, id)
     join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('donations', s.id)
     join pg_dist_node n using (groupid)`,
    [streamers.map(({ handle }) => handle), streamers.map(({ id }) => id)],
  );
  return new Map(rows.map(({ handle, port }) => [handle, port]));
}

/** Moves shards until all workers have as many, without keeping writers waiting for longer than the last step of a move. */
async function rebalance(coordinator: pg.Client): Promise<void> {
  await coordinator.query("select citus_rebalance_start(shard_transfer_mode => 'force_logical')");
  await coordinator.query("select citus_rebalance_wait()");
  const { rows } = await coordinator.query<{ state: string }>("select state from pg_dist_background_job order by job_id desc limit 1");
  if (rows[0]?.state !== "finished") throw new Error(`rebalancing is ${rows[0]?.state}`);
}
