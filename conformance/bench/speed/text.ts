// The comparisons as a person reads them: Markdown, to be pasted.

import { count } from "../setting.ts";
import { ms } from "../table.ts";
import { type ComparedLine, type Comparison, type Figures, heldTitle, type Speed } from "./speed.ts";

export function speedText({ rounds, seconds, cpus, load, comparisons, database }: Speed): string[] {
  const [before, after] = load.map((one) => one.toFixed(1));
  return [
    `Medians of ${rounds} rounds of ${seconds} s each, the servers in turn; in brackets the ratio to the first line.`,
    `${cpus} cores, which server, database and load share; load average ${before} before, ${after} after.`,
    "",
    "| | conn. | requests/s | p50 ms | p99 ms | CPU µs each | database CPU µs each | machine busy | MB |",
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ...comparisons.flatMap((comparison) => comparison.lines.map((line, index) => row(comparison, line, index > 0))),
    "",
    "| pgbench, the database alone | rows/s |",
    "|---|--:|",
    ...database.map(({ name, rowsPerSecond }) => `| ${name} | ${rowsPerSecond === null ? "not run: no pgbench" : whole(rowsPerSecond)} |`),
    "",
    ...verdicts(comparisons),
  ];
}

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

type Aim = { what: string; reached: number | null; limit: number; atMost: boolean; remark?: string };

function percent(share: number | null): string {
  return share === null ? "?" : `${whole(share * 100)} %`;
}

/** Every aim, and whether it was reached. */
export function verdicts(comparisons: readonly Comparison[]): string[] {
  return aims(comparisons).map(({ what, reached, limit, atMost, remark = "" }) => {
    const aim = `${atMost ? "at most" : "at least"} ${limit}`;
    if (reached === null) return `- ${what}: ${aim}; can't be read on this machine`;
    const kept = atMost ? reached <= limit : reached >= limit;
    return `- ${what}: ${reached.toFixed(2)}, ${kept ? "as it should be" : "MISSES the aim"} (${aim})${remark}`;
  });
}

function aims(comparisons: readonly Comparison[]): Aim[] {
  const line = (connections: number, name: string) =>
    comparisons.find((one) => one.kind === "create" && one.connections === connections)?.lines.find((one) => one.name === name);
  const [ours, alone, bareWriter] = [line(64, "ours"), line(1, "ours"), line(64, "Koa + bodyparser + our writer")];
  if (!ours || !alone || !bareWriter) return [];
  return [
    { what: "create at 64, requests/s to the baseline's", reached: ours.ratio.perSecond, limit: 2.2, atMost: false },
    { what: "create at 64, p99 to the baseline's", reached: ours.ratio.p99, limit: 0.5, atMost: true },
    { what: "create at 64, server CPU to the baseline's", reached: ours.ratio.cpuMicroseconds, limit: 0.55, atMost: true },
    {
      what: "create at 64, requests/s to the bare writer's",
      reached: ours.ratio.perSecond / bareWriter.ratio.perSecond,
      limit: 0.7,
      atMost: false,
    },
    { what: "create at 1, p50 to the baseline's", reached: alone.ratio.p50, limit: 1.1, atMost: true },
    ...workersAim(comparisons),
  ];
}

/** More cannot be had than the machine has left beside one process, its database and the load. */
function workersAim(comparisons: readonly Comparison[]): Aim[] {
  const [one, two] = linesOf(comparisons, "create, all cores");
  if (!one || !two) return [];
  const busy = one.median.busy;
  const remark =
    busy === null
      ? ""
      : `; with one, ${percent(busy)} of the machine is busy with server, database and load, so that ${(1 / busy).toFixed(2)} is the most that can be`;
  const what = "create at 256, two workers' requests/s to one's";
  return [
    { what, reached: two.ratio.perSecond, limit: 1.6, atMost: false, remark },
    ...linesOf(comparisons, heldTitle)
      .slice(1)
      .map(({ ratio }) => ({ what: `${what}, each process held`, reached: ratio.perSecond, limit: 1.6, atMost: false })),
  ];
}

function linesOf(comparisons: readonly Comparison[], title: string): ComparedLine[] {
  return comparisons.find((one) => one.title === title)?.lines ?? [];
}

function whole(value: number): string {
  return count(Math.round(value));
}
