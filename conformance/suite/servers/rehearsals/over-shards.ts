import { partOfStatement, type Statement, type TaskCounts } from "./task-counts.ts";

// Which statements may ask more than one shard of a distributed database, and how often an idle process may send them.

/** `part`: of the statement's text. `perMinute`: how often an idle process sends it at most, by the pause of its task. */
export type OverShards = Readonly<{ part: string; perMinute: number; why: string }>;

/** Tasks that search for streamers with something to do, whom nobody knows before. Each asks for ids, from an index of each shard. */
export const scansOverShards: readonly OverShards[] = [
  {
    part: "from goal_watches w join streamers s",
    perMinute: 60,
    why: "goals whose sum may have changed, at most 100 at a time: any process may have recorded the donation",
  },
  {
    part: "select distinct p.streamer_id from playbacks p join overlays o",
    perMinute: 30,
    why: "alerts that a player has left, at most 200 streamers at a time: its process may have died",
  },
  {
    part: "where (o.settings -> 'approval' is not null or o.settings ->> 'blockedWordAction' = 'hold')",
    perMinute: 30,
    why: "alerts to be held, and those whose time to decide is over, of at most 200 streamers at a time, whether a page is open or not",
  },
  {
    part: partOfStatement,
    perMinute: 60,
    why: "the two sides of the union above, which Citus runs by themselves",
  },
  {
    part: "exists (select from alerts a where a.streamer_id = s.id and a.status = 'queued') order by s.id limit",
    perMinute: 30,
    why: "alerts that have waited too long for a player, of the next 200 streamers: nobody is connected who would look",
  },
  {
    part: "from streamers s left join report_progress p",
    perMinute: 30,
    why: "roll-ups that are behind, at most 1,000 streamers at a time: those of other processes, and folds that failed",
  },
  {
    part: "(select max(last_sequence) from donation_search_blocks b where b.streamer_id = s.id)",
    perMinute: 60,
    why: "streamers with enough donations for a search block, which no table notes; one query for each process and pause",
  },
];

/** Statements that something asked for may send to more than one shard. It may only get shorter. */
export const requestsOverShards: readonly Omit<OverShards, "perMinute">[] = [
  {
    part: 'select distinct "speech_id" from "playbacks" where "speech_id" in',
    why: "an erasure, or too much speech of one streamer, deletes audio: alerts of any streamer may share it, which are few and are asked once",
  },
];

/** All statements of an idle process together: every task has its own pause, however many streamers there are. */
const maxIdlePerSecond = 25;

/** What a server must not send, in words. */
export function findStatementFaults({ requests, scans, idleSeconds }: TaskCounts): string[] {
  const wide = scans.filter(({ tasks }) => tasks > 1);
  const all = scans.reduce((sum, { calls }) => sum + calls, 0);
  const listed = [...scansOverShards, ...requestsOverShards];
  return [
    ...requests.filter(asksTooMany(requestsOverShards)).map((one) => `a request asks ${describe(one)}`),
    ...wide.filter(asksTooMany(scansOverShards)).map((one) => `an idle server asks ${describe(one)}`),
    ...scansOverShards.flatMap((one) => findTooOften(one, wide, idleSeconds)),
    ...(all > maxIdlePerSecond * idleSeconds ? [`an idle server sends ${all} statements in ${idleSeconds} s`] : []),
    ...listed
      .filter((one) => ![...requests, ...wide].some(isOf(one)))
      .map(({ part }) => `no statement has: ${part}; take it out of the list`),
  ];
}

const isOf =
  ({ part }: Pick<OverShards, "part">) =>
  ({ text }: Statement): boolean =>
    text.includes(part);

const asksTooMany =
  (listed: readonly Pick<OverShards, "part">[]) =>
  (statement: Statement): boolean =>
    statement.tasks > 1 && !listed.some((one) => isOf(one)(statement));

/** One call more than the pause allows: the time that is watched may begin and end with one. */
function findTooOften(listed: OverShards, scans: readonly Statement[], seconds: number): string[] {
  const calls = scans.filter(isOf(listed)).reduce((sum, one) => sum + one.calls, 0);
  const most = Math.ceil((listed.perMinute / 60) * seconds) + 2;
  return calls > most ? [`an idle server sends ${calls} instead of at most ${most} times in ${seconds} s: ${listed.part}`] : [];
}

const describe = ({ tasks, pool, text }: Statement): string => `${tasks} shards (${pool}): ${text.slice(0, 300)}`;
