import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Found, withFigures } from "../bench/performance-page.ts";

const page = readFileSync(new URL("../../../docs/performance.md", import.meta.url), "utf8");

const all = { perSecond: 0.5, p50: 9, p99: 8, cpuMicroseconds: 7, databaseMicroseconds: 6, busy: 1, megabytes: 5 };
const names = ["baseline", "ours", "ours, JWT", "Koa + bodyparser + our writer", "Koa + bodyparser", "node:http"];
const comparison = (title: string, connections: number) => ({
  ...{ title, kind: "", connections },
  lines: names.map((name) => ({ name, median: { ...all, perSecond: 1234.5 }, ratio: all, rounds: [] })),
});
const titles = ["a repeated idempotency key", "a donation that is refused"];
const reads = ["me, JWT", "me, API key", "get, API key", "list of 20", "list of 20, never the same again", "stats of 30 days"];
const search = comparison("search, never the same again", 64);
const never = [comparison("stats of 30 days, never the same again", 64), search];
const found: Found = {
  create: {
    ...{ rounds: 7, seconds: 2, load: [0.34, 3.21] },
    comparisons: [...[1, 16, 64, 256].map((n) => comparison("create", n)), ...titles.map((title) => comparison(title, 64))],
  },
  read: { comparisons: [...reads.map((title) => comparison(title, 64)), search, comparison("token, by refresh token", 8)] },
  "read-100": { comparisons: never },
  "read-100-of-10000": { comparisons: never },
  start: { withCache: { ms: 700, cpuMs: 800, megabytes: 150 } },
};

test("each row of the headline is written, with its command, and one that is behind is bold", () => {
  const rows = withFigures(page, found).split("## Headline")[1]?.split("```mermaid")[0]?.split("\n") ?? [];
  const figures = rows.filter((row) => /^\| [^w|-]/.test(row) || row.startsWith("| who")).map((row) => row.split("|").slice(2, 4));
  expect(figures.length).toBeGreaterThan(10);
  for (const [cell, command] of figures) {
    expect(cell?.trim()).toMatch(/^\*\*0\.50\*\*(?:, 8\.00)?(?:, 7\.00)?$/);
    expect(command).toMatch(/make bench|the same/);
  }
});

test("the chart, the table of servers with its rounds and load, and the start are written", () => {
  const text = withFigures(page, found);
  for (const name of ['bar "ours"', 'line "baseline"']) expect(text).toContain(`  ${name} [1235, 1235, 1235, 1235]\n`);
  expect(text).toContain(
    "`make bench PARTS=create ROUNDS=7 SECONDS=2`, load average 0.3 before and 3.2 after; in brackets the ratio to the baseline:\n",
  );
  expect(text).toContain("| baseline | 64 | 1,235 | 9.0 | 8.0 | 7 | 6 | 5 |\n");
  for (const row of [
    "ours",
    "ours, access token",
    "Koa and our writer, nothing else",
    "Koa without a database",
    "`node:http` without a database",
  ])
    expect(text).toContain(`| ${row} | 64 | 1,235 (0.50) | 9.0 (9.00) | 8.0 (8.00) | 7 (7.00) | 6 (6.00) | 5 (5.00) |\n`);
  expect(text).toContain("| start, and memory then | 0.70 s to the first answer, 150 MB | `make bench PARTS=start` |\n");
});

test("a row whose part was not measured stays as it is", () => {
  expect(withFigures(page, {})).toBe(page);
});
