// The questions of the reading operations, measured for both streamers in turn, so that other work of the machine affects both alike; and the export of up to
// a million donations: when it begins, how long it takes, what the server's memory grows by meanwhile.

import { bodyOf, count, ms, percentile, residentMegabytes, send, table } from "./measure.ts";
import { absent, common, rare, secondsBetween, spread } from "./seed.ts";
import { type Setting, type Side, sides } from "./setting.ts";

export type Question = {
  operation: string;
  range: string;
  paths: Record<Side, string>;
};

const pageSize = 100;

/** The middle page is at most 10,000 donations from the first. */
const maxPages = 100;
const sorts = ["createdAt", "-createdAt", "receivedAt", "-receivedAt", "amount", "-amount"];
const day = 86_400_000;

export async function questionsFor(url: string, setting: Setting): Promise<Question[]> {
  const all: Question[] = [];
  for (const range of rangesOf(setting)) {
    all.push(...reports(range), ...pages(range), ...searches(range));
    for (const sort of sorts) all.push(await middlePage(url, setting, range, sort));
  }
  return [...all, ...elsewhere(), ...ragged(setting)];
}

type Range = { name: string; query: string; trends: Record<Side, { query: string; interval: string }> };

function rangesOf({ rows }: Setting): Range[] {
  const since = (days: number) => `from=${localDate(Date.now() - days * day)}&to=${localDate(Date.now())}`;
  const both = (query: string, interval: string) => ({ smaller: { query, interval }, larger: { query, interval } });
  // From the first bucket's first day to the last one's last, so that both have whole buckets only.
  const first = (side: Side) => new Date(Date.now() - (rows[side] * secondsBetween * 1_000 + 2 * day));
  const weeks = (from: Date) => `from=${monday(from)}&to=${localDate(Date.parse(monday(new Date())) + 6 * day)}`;
  const years = (from: Date) => `from=${from.getUTCFullYear()}-01-01&to=${new Date().getUTCFullYear()}-12-31`;
  const fixed = [
    { name: "today", query: since(0), interval: "hour" },
    { name: "30 days", query: since(29), interval: "day" },
    { name: "365 days", query: since(364), interval: "day" },
  ];
  return [
    ...fixed.map(({ name, query, interval }) => ({ name, query, trends: both(query, interval) })),
    {
      name: "all time",
      query: "",
      // About fifty buckets each.
      trends: {
        smaller: { query: weeks(first("smaller")), interval: "week" },
        larger:
          rows.larger > 1_000_000
            ? { query: years(first("larger")), interval: "year" }
            : { query: weeks(first("larger")), interval: "week" },
      },
    },
  ];
}

function reports({ name, query, trends }: Range): Question[] {
  const one = (operation: string, path: string): Question => ({ operation, range: name, paths: same(path) });
  const trend = (operation: string, what: string): Question => ({
    operation,
    range: name,
    paths: bySide((side) => `/donations/trends/${what}?${trends[side].query}&interval=${trends[side].interval}`),
  });
  return [
    one("stats", `/donations/stats?${query}`),
    one("top donators by amount", `/donations/top-donators?${query}`),
    one("top 100 donators by count", `/donations/top-donators?${query}&by=count&limit=100`),
    one("breakdown", `/donations/breakdown?${query}`),
    trend("amount trends", "amount"),
    trend("count trends", "count"),
  ];
}

function pages({ name, query }: Range): Question[] {
  const one = (operation: string, more: string): Question => ({
    operation,
    range: name,
    paths: same(`/donations?${query}&limit=${pageSize}&${more}`),
  });
  return [
    ...sorts.map((sort) => one(`list ${sort}, first page`, `sort=${sort}`)),
    one("list, rare identifier", `identifier=${rare.identifier}`),
    one("list, rare channel", "channel=other"),
    one("list -amount, rare identifier", `identifier=${rare.identifier}&sort=-amount`),
  ];
}

function searches({ name, query }: Range): Question[] {
  const one = (what: string, text: string): Question => ({
    operation: `search, ${what}`,
    range: name,
    paths: same(`/donations/search?${query}&limit=${pageSize}&q=${encodeURIComponent(text)}`),
  });
  return [
    one("common word", common.word),
    one("rare word", rare.word),
    one("absent word", absent),
    one("common letter", common.letter),
    one("rare letter", rare.letter),
    one("two letters", common.word.slice(0, 2)),
    one("text in most blocks", spread.most),
    one("text in few blocks", spread.few),
  ];
}

/** Reads all pages up to the middle, because a cursor cannot be constructed. */
async function middlePage(url: string, { rows, keys }: Setting, { name, query }: Range, sort: string): Promise<Question> {
  const first = `/donations?${query}&limit=${pageSize}&sort=${sort}`;
  const paths = same(first);
  for (const side of sides) {
    const inRange = name === "today" ? day : name === "30 days" ? 30 * day : name === "365 days" ? 365 * day : Number.POSITIVE_INFINITY;
    const donations = Math.min(rows[side], inRange / (secondsBetween * 1_000));
    const steps = Math.min(maxPages, Math.max(1, Math.floor(donations / 2 / pageSize)));
    for (let step = 0; step < steps; step += 1) {
      const { pagination } = bodyOf(await send(`${url}/api/v1${paths[side]}`, keys[side]), paths[side]);
      if (!pagination?.nextCursor) break;
      paths[side] = `/donations?limit=${pageSize}&cursor=${encodeURIComponent(pagination.nextCursor)}`;
    }
  }
  return { operation: `list ${sort}, in the middle`, range: name, paths };
}

/** Another zone, whose days are not those of the roll-ups, and ragged ends. */
function elsewhere(): Question[] {
  const query = `from=${localDate(Date.now() - 364 * day)}&to=${localDate(Date.now())}&timezone=Europe/London`;
  const one = (operation: string, path: string): Question => ({
    operation: `${operation}, London's days`,
    range: "365 days",
    paths: same(path),
  });
  return [
    one("stats", `/donations/stats?${query}`),
    one("top donators by amount", `/donations/top-donators?${query}`),
    one("amount trends", `/donations/trends/amount?${query}&interval=day`),
    one("count trends", `/donations/trends/count?${query}&interval=day`),
  ];
}

/** Trends over all time whose first and last bucket are cut off: about fifty buckets each, then the same year by months. */
function ragged({ rows }: Setting): Question[] {
  const now = Date.now();
  const instant = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
  const first = (side: Side) => now - rows[side] * secondsBetween * 1_000;
  const interval = (side: Side) => (rows[side] > 1_000_000 ? "year" : "week");
  const since = (ms: number) => `from=${instant(ms)}&to=${instant(now)}`;
  const trends = (title: string, query: (side: Side) => string): Question[] =>
    ["amount", "count"].map((what) => ({
      operation: `${what} trends, ${title}`,
      range: "all time",
      paths: bySide((side) => `/donations/trends/${what}?${query(side)}`),
    }));
  return [
    ...trends("ragged ends", (side) => `${since(first(side))}&interval=${interval(side)}`),
    ...trends("ragged ends, London's", (side) => `${since(first(side))}&interval=${interval(side)}&timezone=Europe/London`),
    ...trends("ragged ends, by month", () => `${since(first("smaller"))}&interval=month`),
  ];
}

function same(path: string): Record<Side, string> {
  return bySide(() => path);
}

function bySide(make: (side: Side) => string): Record<Side, string> {
  return { smaller: make("smaller"), larger: make("larger") };
}

function monday(date: Date): string {
  return localDate(date.getTime() - ((date.getUTCDay() + 6) % 7) * day);
}

/** The default time zone's. */
function localDate(ms: number): string {
  return new Date(ms + 7 * 3_600_000).toISOString().slice(0, 10);
}

type Measured = { p50: number; p99: number; rows: number };

type Line = { operation: string; range: string; ratio: number } & Record<Side, Measured>;

export async function measure(url: string, setting: Setting, questions: readonly Question[], times: number): Promise<Line[]> {
  const taken = questions.map(() => ({ smaller: [] as number[], larger: [] as number[] }));
  const rows = questions.map(() => ({ smaller: 0, larger: 0 }));
  for (let round = -2; round < times; round += 1)
    for (const [index, { paths }] of questions.entries())
      for (const side of sides) {
        await forgetAnswers(setting, side);
        const answer = await send(`${url}/api/v1${paths[side]}`, setting.keys[side]);
        const { data } = bodyOf(answer, paths[side]);
        if (round < 0)
          rows[index]![side] = sizeOf(data); // warms up
        else taken[index]![side].push(answer.ms);
      }
  return questions.map(({ operation, range }, index) => {
    const on = (side: Side): Measured => ({
      p50: percentile(taken[index]![side], 0.5),
      p99: percentile(taken[index]![side], 0.99),
      rows: rows[index]![side],
    });
    const line = { smaller: on("smaller"), larger: on("larger") };
    return { operation, range, ratio: line.larger.p50 / line.smaller.p50, ...line };
  });
}

/** Raises the counter under which the server caches the streamer's answers, as a donation would: the next one is made anew. */
export async function forgetAnswers({ client }: Pick<Setting, "client">, side: Side): Promise<void> {
  await client.query(
    "update streamers set last_sequence = last_sequence + 1 where id = (select streamer_id from streamer_handles where handle = $1)",
    [side],
  );
}

/** Donations, donators, channels or points of an answer; 1 for stats. */
function sizeOf(data: unknown): number {
  if (Array.isArray(data)) return data.length;
  const list = Object.values(data as object).find(Array.isArray);
  return list?.length ?? 1;
}

const maxMs = 50;
const maxRatio = 1.5;

export function linesTable(lines: readonly Line[], rows: Record<Side, number>): string {
  const head = ["operation", "range", ...sides.flatMap((side) => [`p50 at ${count(rows[side])}`, "p99", "rows"]), "ratio"];
  const cells = lines.map((line) => [
    line.operation,
    line.range,
    ...sides.flatMap((side) => [ms(line[side].p50), ms(line[side].p99), String(line[side].rows)]),
    line.ratio.toFixed(2),
  ]);
  return table([head, ...cells]);
}

/** Describes every aim that a line misses. */
export function missedAims(lines: readonly Line[]): string[] {
  return lines.flatMap(({ operation, range, smaller, larger, ratio }) => {
    const name = `${operation}, ${range}`;
    const slow = larger.p50 > maxMs ? [`${name}: a p50 of ${ms(larger.p50)} ms is above ${maxMs} ms`] : [];
    const grows =
      ratio > maxRatio
        ? [`${name}: ${ratio.toFixed(2)} times slower on the longer history (${ms(smaller.p50)} → ${ms(larger.p50)} ms), above ${maxRatio}`]
        : [];
    return [...slow, ...grows];
  });
}

type Exported = { donations: number; megabytes: number; firstByteMs: number; seconds: number; grownMegabytes: number | null };

const wanted = 1_000_000;

export async function measureExport(url: string, pid: number, { keys, rows }: Setting): Promise<Exported> {
  const donations = Math.min(wanted, rows.larger);
  const from = new Date(Date.now() - donations * secondsBetween * 1_000).toISOString();
  const path = `${url}/api/v1/donations/export?sort=createdAt&from=${from}`;
  const small = await send(`${url}/api/v1/donations/export?from=${new Date(Date.now() - 86_400_000).toISOString()}`, keys.larger); // warms up
  if (small.status !== 200) throw new Error(`an export was answered ${small.status}: ${small.body}`);
  const before = await residentMegabytes(pid);
  let peak = before;
  const watch = setInterval(async () => {
    peak = Math.max(peak, await residentMegabytes(pid));
  }, 100);
  let bytes = 0;
  const { status, firstByteMs, ms } = await send(path, keys.larger, undefined, (chunk) => {
    bytes += chunk.length;
  }).finally(() => clearInterval(watch));
  if (status !== 200) throw new Error(`an export was answered ${status}`);
  const grownMegabytes = before === 0 ? null : peak - before;
  return { donations, megabytes: bytes / 2 ** 20, firstByteMs, seconds: ms / 1_000, grownMegabytes };
}

export function exportText({ donations, megabytes, firstByteMs, seconds, grownMegabytes }: Exported): string {
  const grown =
    grownMegabytes === null
      ? "the server's memory cannot be measured on this machine"
      : `the server grew by ${grownMegabytes.toFixed(0)} MB`;
  const missed = [
    ...(firstByteMs > 1_000 ? ["the first byte within a second"] : []),
    ...((grownMegabytes ?? 0) > 100 ? ["growth of at most 100 MB"] : []),
  ];
  return (
    `${count(donations)} donations: first byte after ${firstByteMs.toFixed(0)} ms, ${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s, ${grown}` +
    `${missed.length > 0 ? `. Aims missed: ${missed.join(", ")}` : ""}.`
  );
}
