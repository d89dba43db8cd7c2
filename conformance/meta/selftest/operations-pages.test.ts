// The pages for operators and the other Markdown of the repository: length, links, and code that says how it is tested.

import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";

import { checkout } from "../../suite/contract/sources.ts";
import { needsProgram } from "./installed.ts";
import { blocksOf, pages, pagesFolder, readPage, readText, variablesOf } from "./operations-book.ts";

const maxWords = 900;
const words = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Languages of blocks that operations-commands.test.ts runs. */
const runLanguages = ["sh", "sql", "ini"];

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "conformance/README.md",
  "docs/limits.md",
  "conformance/meta/rehearsals/README.md",
  ...pages.map((page) => join(pagesFolder, page)),
];

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
