// Formats the comparisons as Markdown for docs/performance.md.

import { count } from "../setting.ts";
import { ms } from "../timed.ts";
import type { ReadsMeasured } from "./reads.ts";
import { type ComparedLine, type Comparison, type Figures, limitedTitle, type Speed } from "./speed.ts";

export function speedText({ rounds, seconds, cpus, load, comparisons, database }: Speed): string[] {
  const [before, after] = load.map((one) => one.toFixed(1));
  return [
    `Medians of ${rounds} rounds of ${seconds} s each, the servers in turn; in brackets the ratio to the first line.`,
    `${cpus} cores, shared by server, database and load; load average ${before} before, ${after} after.`,
    "",
    ...heading,
    ...comparisons.flatMap((comparison) => comparison.lines.map((line, index) => row(comparison, line, index > 0))),
    "",
    "| pgbench, the database alone | rows/s |",
    "|---|--:|",
    ...database.map(({ name, rowsPerSecond }) => `| ${name} | ${rowsPerSecond === null ? "not run: no pgbench" : whole(rowsPerSecond)} |`),
    "",
    ...verdicts(comparisons),
    ...refusals(comparisons),
  ];
}

/** The servers that refused some of the requests, which no figure counts as answered; times are of all answers. */
function refusals(comparisons: readonly Comparison[]): string[] {
  return comparisons.flatMap(({ title, connections, lines }) =>
    lines.flatMap(({ name, rounds }) => {
      const refused = rounds.map((round) => round.refused);
      if (refused.every((number) => number === 0)) return [];
      return `- ${title}, ${connections} connections: ${name} refused ${refused.map(whole).join(", ")} requests with 503 in its rounds`;
    }),
  );
}

export function readsText({ rows, others, rounds, seconds, cpus, load, comparisons }: ReadsMeasured): string[] {
  const [before, after] = load.map((one) => one.toFixed(1));
  return [
    `Reading beside ${count(rows)} donations${others > 0 ? ` of each of ${count(others + 1)} streamers` : ""}: medians of ${rounds} rounds of ${seconds} s each, the servers in turn; in brackets the ratio to the baseline.`,
    `${cpus} cores, shared by server, database and load; load average ${before} before, ${after} after.`,
    "",
    ...heading,
    ...comparisons.flatMap((comparison) => comparison.lines.map((line, index) => row(comparison, line, index > 0))),
  ];
}

const heading = [
  "| | conn. | requests/s | p50 ms | p99 ms | CPU µs each | database CPU µs each | machine busy | MB |",
  "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
];

function row({ title, connections }: Comparison, { name, median, ratio }: ComparedLine, compared: boolean): string {
  const cell = (of: (figures: Figures) => number | null, write: (value: number) => string) => {
    const [value, relative] = [of(median), of(ratio)];
    if (value === null) return "?";
    return compared && relative !== null ? `${write(value)} (${relative.toFixed(2)})` : write(value);
  };
  const cells = [
    cell(({ perSecond }) => perSecond, whole),
    cell(({ p50 }) => p50, ms),
    cell(({ p99 }) => p99, ms),
    cell(({ cpuMicroseconds }) => cpuMicroseconds, whole),
    cell(({ databaseMicroseconds }) => databaseMicroseconds, whole),
    percent(median.busy),
    cell(({ megabytes }) => megabytes, whole),
  ];
  return `| ${title}: ${name} | ${connections} | ${cells.join(" | ")} |`;
}

type Aim = { what: string; measured: number | null; limit: number; atMost: boolean; remark?: string };

function percent(share: number | null): string {
  return share === null ? "?" : `${whole(share * 100)} %`;
}

/** Every aim, and whether it was reached. */
export function verdicts(comparisons: readonly Comparison[]): string[] {
  return aims(comparisons).map(({ what, measured, limit, atMost, remark = "" }) => {
    const aim = `${atMost ? "at most" : "at least"} ${limit}`;
    if (measured === null) return `- ${what}: ${aim}; cannot be measured on this machine`;
    const isReached = atMost ? measured <= limit : measured >= limit;
    return `- ${what}: ${measured.toFixed(2)}, ${isReached ? "reached" : "missed"} (${aim})${remark}`;
  });
}

function aims(comparisons: readonly Comparison[]): Aim[] {
  const line = (connections: number, name: string) =>
    comparisons.find((one) => one.kind === "create" && one.connections === connections)?.lines.find((one) => one.name === name);
  const [ours, alone, bareWriter] = [line(64, "ours"), line(1, "ours"), line(64, "Koa + bodyparser + our writer")];
  if (!ours || !alone || !bareWriter) return [];
  return [
    { what: "create at 64, requests/s to the baseline's", measured: ours.ratio.perSecond, limit: 2.2, atMost: false },
    { what: "create at 64, p99 to the baseline's", measured: ours.ratio.p99, limit: 0.5, atMost: true },
    { what: "create at 64, server CPU to the baseline's", measured: ours.ratio.cpuMicroseconds, limit: 0.55, atMost: true },
    {
      what: "create at 64, requests/s to the bare writer's",
      measured: ours.ratio.perSecond / bareWriter.ratio.perSecond,
      limit: 0.7,
      atMost: false,
    },
    { what: "create at 1, p50 to the baseline's", measured: alone.ratio.p50, limit: 1.1, atMost: true },
    ...workersAim(comparisons),
  ];
}

/** The second worker can use only what one process, its database and the load leave of the machine. */
function workersAim(comparisons: readonly Comparison[]): Aim[] {
  const [one, two] = linesOf(comparisons, "create, all cores");
  if (!one || !two) return [];
  const busy = one.median.busy;
  const remark =
    busy === null
      ? ""
      : `; with one, ${percent(busy)} of the machine is busy with server, database and load, so the ratio cannot exceed ${(1 / busy).toFixed(2)}`;
  const what = "create at 256, two workers' requests/s to one's";
  return [
    { what, measured: two.ratio.perSecond, limit: 1.6, atMost: false, remark },
    ...linesOf(comparisons, limitedTitle)
      .slice(1)
      .map(({ ratio }) => ({
        what: `${what}, each process limited to a share of a core`,
        measured: ratio.perSecond,
        limit: 1.6,
        atMost: false,
      })),
  ];
}

function linesOf(comparisons: readonly Comparison[], title: string): ComparedLine[] {
  return comparisons.find((one) => one.title === title)?.lines ?? [];
}

function whole(value: number): string {
  return count(Math.round(value));
}
