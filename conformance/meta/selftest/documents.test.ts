// The pages for operators and the other Markdown of the repository: length, links, code that says how it is tested, and figures of `make bench`.

import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { checkout } from "../../suite/contract/sources.ts";
import { type Found, withFigures } from "../bench/performance-page.ts";
import { blocksOf, needsProgram, pages, pagesFolder, readPage, readText, variablesOf } from "./operations-book.ts";

const maxWords = 900;

const words = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Languages of blocks that operations-commands.test.ts runs. */
const runLanguages = ["sh", "sql", "ini"];

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "conformance/README.md",
  "conformance/meta/rehearsals/README.md",
  ...["docs", "docs/decisions", pagesFolder].flatMap(markdownIn),
];

function markdownIn(folder: string): string[] {
  return readdirSync(join(checkout, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
}

test(`a page for operators has at most ${maxWords} words, but for the table of settings`, () => {
  const long = pages.filter((page) => page !== "settings.md" && words(readPage(page)) > maxWords);
  expect(long).toEqual([]);
});

test("the index of the pages for operators leads to each of them", () => {
  const index = readPage("README.md");
  expect(pages.filter((page) => page !== "README.md" && !index.includes(`](${page}`))).toEqual([]);
});

test.each(documents)("each link of %s leads to a file and a heading that are there", (document) => {
  const prose = readText(document)
    .replaceAll(/^ *```.*?^ *```$/gms, "")
    .replaceAll(/`[^`\n]*`/g, "code");
  const links = [...prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = ""]) => link);
  expect(links.filter((link) => !leadsSomewhere(document, link))).toEqual([]);
});

function leadsSomewhere(document: string, link: string): boolean {
  const [path = "", fragment] = link.split("#");
  const file = path === "" ? document : join(dirname(document), path);
  if (!existsSync(join(checkout, file))) return false;
  if (fragment === undefined) return true;
  return !statSync(join(checkout, file)).isDirectory() && headingIds(readText(file)).includes(fragment);
}

/** The ids that GitHub gives to headings. */
function headingIds(markdown: string): string[] {
  const headings = [...markdown.replaceAll(/^ *```.*?^ *```$/gms, "").matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("each block of code of the pages is run, or says which file runs it or why none does", () => {
  const blocks = pages.flatMap(blocksOf);
  expect(blocks.length).toBe(pages.map((page) => (readPage(page).match(/^```\w+$/gm) ?? []).length).reduce((sum, count) => sum + count, 0));
  const silent = blocks.filter(({ marker, language }) => marker === null && !runLanguages.includes(language));
  expect(silent.map(({ page, text }) => `${page}: ${text}`)).toEqual([]);
});

test("the file that is said to run a block of a page names that page", () => {
  const claimed = pages.flatMap(blocksOf).filter(({ marker }) => marker?.kind === "run by");
  const wrong = claimed.filter(({ page, marker }) => {
    const [file = ""] = /^\S+\.ts/.exec(marker?.text ?? "") ?? [];
    return !existsSync(join(checkout, file)) || !readText(file).includes(page);
  });
  expect(wrong.map(({ page, marker }) => `${page}: ${marker?.text}`)).toEqual([]);
});

test("the file of settings of containers.md has each variable that the compose file takes, and no other", () => {
  const settings = variablesOf(blocksOf("containers.md").find(({ language }) => language === "ini")?.text ?? "");
  const taken = [...readText("deploy/compose.yaml").matchAll(/\$\{([A-Z_]+)/g)].map(([, name = ""]) => name);
  expect(Object.keys(settings).sort()).toEqual([...new Set(taken)].sort());
});

test("each setting of citus.md is one that the cluster of rehearsals has", () => {
  const [settings] = blocksOf("citus.md").filter(({ language }) => language === "ini");
  const names = [...(settings?.text ?? "").matchAll(/^([\w.]+) =/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(4);
  expect(names.filter((name) => !readText("conformance/suite/servers/citus.ts").includes(name))).toEqual([]);
});

test("the command line beside the service runs with the folders, the file of settings and the user of the service", () => {
  const [unit, command] = [readText("deploy/namjai-donations.service"), readText("deploy/namjai")];
  for (const name of ["DynamicUser", "User", "StateDirectory", "StateDirectoryMode", "EnvironmentFile", "WorkingDirectory"]) {
    const [line] = new RegExp(`^${name}=\\S+$`, "m").exec(unit) ?? [];
    expect(command, name).toContain(`-p ${line}`);
  }
  for (const name of ["NODE_ENV", "DATA_DIR"])
    expect(command).toContain(`-E ${/(?:NODE_ENV|DATA_DIR)=\S+/.exec(unit.slice(unit.indexOf(name)))?.[0]}`);
});

test("watch.md explains each alert rule, and no other", () => {
  const { groups } = parse(readText("deploy/monitoring/alerts.yaml")) as { groups: { rules: { alert: string }[] }[] };
  const explained = [...readPage("watch.md").matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, name = ""]) => name);
  expect(explained).toEqual(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)));
});

test("each alert rule fires where it should, and none on a healthy server", async (context) => {
  needsProgram(context, "promtool", "prometheus");
  const test = promisify(execFile)("promtool", ["test", "rules", "alerts.test.yaml"], { cwd: join(checkout, "deploy/monitoring") });
  await expect(test).resolves.toBeDefined();
});

test("Prometheus accepts the alert rules", async (context) => {
  needsProgram(context, "promtool", "prometheus");
  await expect(promisify(execFile)("promtool", ["check", "rules", join(checkout, "deploy/monitoring/alerts.yaml")])).resolves.toBeDefined();
});

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
  expect(text).toContain("| start, and memory at rest | 0.70 s to the first answer, 150 MB | `make bench PARTS=start` |\n");
});

test("a row whose part was not measured stays as it is", () => {
  expect(withFigures(page, {})).toBe(page);
});
