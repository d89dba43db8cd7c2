// `make performance`: writes what `make bench` has left in bench-results/ into the tables of docs/performance.md, so that nobody writes a figure
// by hand. A row whose part was not measured stays as it is.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkout } from "../../suite/contract/sources.ts";
import { count, ms } from "./measure.ts";
import { results } from "./setting.ts";
import type { ComparedLine, Comparison, Figures } from "./speed/comparison.ts";
import type { StartMeasured } from "./start.ts";

/** What has been measured, by the name of its file: `create`, `read`, `read-100`, `start`. */
export type Found = Readonly<Record<string, { comparisons?: readonly Comparison[] } & Partial<RunSettings> & Partial<StartMeasured>>>;

/** `load`: the machine's load average before and after. */
type RunSettings = { rounds: number; seconds: number; load: readonly number[] };

type Names = (keyof Figures)[];
const speed: Names = ["perSecond", "p99", "cpuMicroseconds"];
const cost: Names = ["perSecond", "cpuMicroseconds"];

/** First cell of a row of the headline, the part that measures it, the comparison, the number of connections, and the figures. */
const headline: [row: string, part: string, title: string, connections: number, names: Names][] = [
  ["record a donation, 64 connections: requests, p99, CPU", "create", "create", 64, speed],
  ["record a donation, 256 connections: requests, p99, CPU", "create", "create", 256, speed],
  ["record a donation, one connection: requests, p99, CPU", "create", "create", 1, speed],
  ["a repeated idempotency key: requests, CPU", "create", "a repeated idempotency key", 64, cost],
  ["a donation that is refused: requests, CPU", "create", "a donation that is refused", 64, cost],
  ["who am I, access token: requests, CPU", "read", "me, JWT", 64, cost],
  ["who am I, API key: requests, CPU", "read", "me, API key", 64, cost],
  ["one donation, API key: requests, CPU", "read", "get, API key", 64, cost],
  ["list of 20, asked again: requests, CPU", "read", "list of 20", 64, cost],
  ["list of 20, never asked before: requests, CPU", "read", "list of 20, never the same again", 64, cost],
  ["statistics of 30 days over 100,000 donations, asked again", "read", "stats of 30 days", 64, ["perSecond"]],
  ["statistics of 30 days over 100 donations, never asked before", "read-100", "stats of 30 days, never the same again", 64, ["perSecond"]],
  ["search of words from common to absent, never asked before: requests, CPU", "read", "search, never the same again", 64, cost],
  ["search beside a trigram index, a million donations of others", "read-100-of-10000", "search, never the same again", 64, ["perSecond"]],
  ["access token by refresh token: requests, CPU", "read", "token, by refresh token", 8, cost],
];

/** First cell of a row of the second table, and the server of the comparison of 64 connections. */
const servers: [row: string, name: string][] = [
  ["baseline", "baseline"],
  ["ours", "ours"],
  ["ours, access token", "ours, JWT"],
  ["Koa and our writer, nothing else", "Koa + bodyparser + our writer"],
  ["Koa without a database", "Koa + bodyparser"],
  ["`node:http` without a database", "node:http"],
];

const chart = [1, 16, 64, 256];

/** The document with these figures in its tables. */
export function withFigures(document: string, found: Found): string {
  const lineOf = (part: string, title: string, connections: number, name: string): ComparedLine | undefined =>
    found[part]?.comparisons
      ?.find((one) => one.title === title && one.connections === connections)
      ?.lines.find((line) => line.name === name);
  /** By the beginning of the line: the figures behind it. A command in the last cell stays. */
  const rows = new Map<string, { figures: string; hasCommand?: boolean }>();
  for (const [row, part, title, connections, names] of headline) {
    const line = lineOf(part, title, connections, "ours");
    if (line) rows.set(`| ${row} | `, { figures: `${names.map((name) => ratio(line, name)).join(", ")} |`, hasCommand: true });
  }
  for (const [row, name] of servers) {
    const line = lineOf("create", "create", 64, name);
    if (line) rows.set(`| ${row} | 64 | `, { figures: `${cells(line, name !== "baseline").join(" | ")} |` });
  }
  const highest: number[] = [];
  for (const [mark, name] of [
    ["bar", "ours"],
    ["line", "baseline"],
  ] as const) {
    const lines = chart.flatMap((connections) => lineOf("create", "create", connections, name) ?? []);
    const heights = lines.map(({ median }) => Math.round(median.perSecond ?? 0));
    if (lines.length > 0) rows.set(`  ${mark} "${name}" `, { figures: `[${heights.join(", ")}]` });
    highest.push(...heights);
  }
  if (highest.length > 0) rows.set('  y-axis "requests/s" 0 --> ', { figures: String(Math.ceil(Math.max(...highest) / 2_000) * 2_000) });
  const { rounds, seconds, load } = found.create ?? {};
  if (load) {
    const [before, after] = load.map((average) => average.toFixed(1));
    rows.set("`make bench PARTS=create ", {
      figures: `ROUNDS=${rounds} SECONDS=${seconds}\`, load average ${before} before and ${after} after; in brackets the ratio to the baseline:`,
    });
  }
  const started = found.start?.withCache;
  if (started) {
    const figures = `${(started.ms / 1_000).toFixed(2)} s to the first answer, ${whole(started.megabytes)} MB |`;
    rows.set("| start, and memory at rest | ", { figures, hasCommand: true });
  }
  return document
    .split("\n")
    .map((line) => {
      const [begin, row] = [...rows].find(([start]) => line.startsWith(start)) ?? [];
      return row ? `${begin}${row.figures}${row.hasCommand ? (/[^|]*\|$/.exec(line)?.[0] ?? "") : ""}` : line;
    })
    .join("\n");
}

/** Bold where the baseline answers more requests. */
function ratio({ ratio: figures }: ComparedLine, name: keyof Figures): string {
  const value = figures[name];
  if (value === null) return "?";
  const text = value >= 10 ? value.toFixed(0) : value.toFixed(2);
  return name === "perSecond" && value < 1 ? `**${text}**` : text;
}

function cells({ median, ratio: relative }: ComparedLine, isCompared: boolean): string[] {
  const cell = (name: keyof Figures, write: (value: number) => string) => {
    const [value, of] = [median[name], relative[name]];
    if (value === null || (name === "databaseMicroseconds" && value < 1)) return "";
    return isCompared && of !== null ? `${write(value)} (${of.toFixed(2)})` : write(value);
  };
  return [
    cell("perSecond", whole),
    cell("p50", ms),
    cell("p99", ms),
    cell("cpuMicroseconds", whole),
    cell("databaseMicroseconds", whole),
    cell("megabytes", whole),
  ];
}

const whole = (value: number | null): string => (value === null ? "?" : count(Math.round(value)));

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const parts = ["create", "read", "read-100", "read-100-of-10000", "start"];
  const read = (part: string): [string, object][] => {
    try {
      return [[part, JSON.parse(readFileSync(join(results, `${part}.json`), "utf8"))]];
    } catch {
      console.log(`bench-results/${part}.json is not there: its rows stay as they are`);
      return [];
    }
  };
  const document = join(checkout, "docs/performance.md");
  writeFileSync(document, withFigures(readFileSync(document, "utf8"), Object.fromEntries(parts.flatMap(read))));
}
