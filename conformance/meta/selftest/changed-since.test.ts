// --changed-since: the rules of operations whose contract differs from that of a commit.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { noteCalledOperations } from "../../suite/client/prepare-rules.ts";
import { affectedOperations, compareContracts } from "../../suite/command/changed-operations.ts";
import { operationsOfFamily, selectRules, titlesOfOperations } from "../../suite/command/rule-files.ts";
import { contract, operations, type Schema } from "../../suite/contract/contract.ts";
import { familyOf } from "../../suite/contract/offline-rules.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { parseEvents } from "../../suite/report/events.ts";
import { badgeOf } from "../../suite/report/formats.ts";
import { headlineOf } from "../../suite/report/headline.ts";
import { running } from "../../suite/values/running.ts";
import { always, conformance, conformanceOfProject, foreign, serving } from "./command.ts";
import { rule, runWith } from "./runs.ts";

type Contract = {
  components: { schemas: Record<string, Record<string, unknown>> };
  paths: Record<string, Record<string, Record<string, unknown>>>;
} & Record<string, unknown>;

/** Compares the contract with the same one after `edit`. */
function changesBy(edit: (copy: Contract) => void) {
  const copy = structuredClone(contract) as Contract;
  edit(copy);
  return compareContracts(contract, copy as Schema);
}

describe("operations that differ", () => {
  test("a contract does not differ from itself, whatever the order of its members", () =>
    expect(changesBy((copy) => Object.assign(copy, { paths: Object.fromEntries(Object.entries(copy.paths).reverse()) }))).toEqual({
      changed: [],
      removed: [],
      parts: [],
    }));

  test("an operation whose description changes differs, and no other", () =>
    expect(
      changesBy((copy) => {
        const { get } = copy.paths["/api/v1/me"] as { get: { description: string } };
        get.description = "another";
      }),
    ).toEqual({ changed: ["getMe"], removed: [], parts: [] }));

  test("a changed schema changes the operations that refer to it, however indirectly, and no other", () => {
    const { changed, parts } = changesBy((copy) => {
      const { AlertSettings = {} } = copy.components.schemas;
      AlertSettings.description = "another";
    });
    expect([changed.toSorted(), parts]).toEqual([["getAlertSettings", "updateAlertSettings"], []]);
  });

  test("a removed operation and a new one are named", () =>
    expect(
      changesBy((copy) => {
        copy.paths["/api/v1/other"] = { get: { operationId: "getOther", responses: {} } };
        delete copy.paths["/api/v1/me"];
      }),
    ).toEqual({ changed: ["getOther"], removed: ["getMe"], parts: [] }));

  test("a part that every operation may depend on concerns all rules, and a text about the contract those of no single operation", () => {
    const limits = changesBy((copy) => Object.assign(copy, { "x-rate-limits": {} }));
    expect([limits.parts, affectedOperations(limits)]).toEqual([["x-rate-limits"], null]);
    const info = changesBy((copy) => Object.assign(copy, { info: {} }));
    expect([info.parts, affectedOperations(info)]).toEqual([["info"], []]);
    const unused = changesBy((copy) => Object.assign(copy.components.schemas, { Unused: { type: "string" } }));
    expect([unused.parts, affectedOperations(unused)]).toEqual([["components"], null]);
  });
});

describe("rules of operations", () => {
  test.each([
    ["donations/create-donation", ["createDonation"]],
    ["oauth/issue-token-code", ["issueToken"]],
    ["oauth/authorize", ["authorize"]],
    ["interface/amount", ["createDonation"]],
    ["interface/skip-alert", ["createDonation"]],
    ["interface/published-contract", null],
    ["derived/keywords", null],
    ["a/new-file", null],
  ])("the rule file %s is about %j", (family, expected) => expect(operationsOfFamily(family)).toEqual(expected));

  test.each([
    ["interface/oauth", "issueToken"],
    ["interface/oauth", "revokeToken"],
    ["donations/round-trip", "getDonation"],
    ["donations/idempotency", "createDonation"],
  ])("the rule file %s, which is named after no operation, is about %s, among others that it calls", (family, operation) =>
    expect(operationsOfFamily(family)).toContain(operation),
  );

  test.each(operations.map(({ id }) => id))("when %s alone differs, its rules are run, and no file that is about others", (id) => {
    const { files } = selectRules({ profile: "contract", depth: "full", only: null, operations: [id] });
    const about = files.map((file) => operationsOfFamily(familyOf(file)));
    expect(about.some((some) => some?.includes(id))).toBe(true);
    expect(about.filter((some) => some !== null && !some.includes(id))).toEqual([]);
  });

  test("an operation that no rule has called yet concerns every file that is not named after another one", () => {
    const { files } = selectRules({ profile: "contract", depth: "full", only: null, operations: ["getNew"] });
    const families = files.map(familyOf);
    expect(families).toEqual(expect.arrayContaining(["donations/round-trip", "interface/amount", "derived/keywords"]));
    expect(families).not.toContain("donations/create-donation");
  });

  test.each([
    ["getMe: each documented choice is accepted", true],
    ["getDonation: each documented choice is accepted", false],
    ["mixtures getDonation: any values", false],
    ["getDonationStats refuses keys without read:donations", false],
    ["figures are donations as getDonation reads them", true],
    ["skipAlert true is accepted", true],
    ["authorize is a word", true],
    ["a rule of no operation", true],
  ])("when getMe differs, whether the rule %j is run: %s", (title, run) => expect(titlesOfOperations(["getMe"]).test(title)).toBe(run));

  test("--only narrows the rules of --changed-since", () => {
    const { titles } = selectRules({ profile: "contract", depth: "full", only: "/^get.*choice/", operations: ["getMe"] });
    expect(["getMe: a choice", "getMe: another", "getDonation: a choice"].map((title) => titles?.test(title))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test.each<[string, (url: string) => Promise<unknown>]>([
  ["node:http", (url) => new Promise((resolve) => get(`${url}/api/v1/me?a=1`, resolve))],
  ["fetch", (url) => fetch(`${url}/api/v1/me?a=1`, { method: "HEAD" })],
  [
    "a WebSocket",
    (url) => new Promise((resolve) => new WebSocket(`${url.replace("http", "ws")}/api/v1/me`).addEventListener("error", resolve)),
  ],
])("what a rule asks by %s counts as a call of the operation, once", async (_, ask) => {
  noteCalledOperations();
  const url = await serving(always(401, "{}"));
  for (let times = 0; times < 2; times += 1) await ask(url);
  expect(running()?.meta.operations).toEqual(["getMe"]);
});

describe("the option --changed-since", () => {
  test.each([["no-such-commit"], ["--upload-pack=x"]])("--changed-since=%s is wrong usage", async (ref) => {
    const { code, output } = await conformanceOfProject([`--changed-since=${ref}`], {});
    expect([code, output]).toEqual([64, expect.stringContaining("--changed-since: ")]);
  });

  test("a run since a commit with the same contract says that nothing has changed, runs nothing and exits with 0", async () => {
    const { code, output } = await conformanceOfProject(["--changed-since", "HEAD", "--only", "interface/amount"], {});
    expect([code, output]).toEqual([0, "the contract has not changed since HEAD: nothing to run\n"]);
  });

  test("a difference of getMe selects its rules and those that call it, and not those of donations", async () => {
    const { ref, env } = earlier("/api/v1/me", "get");
    const { output } = await conformanceOfProject(["--changed-since", ref, "--list"], env);
    const families = new Set(output.split("\n").map((line) => line.split(" > ")[0]));
    expect([...families]).toEqual(expect.arrayContaining(["transport/credentials", "derived/requests", "interface/published-contract"]));
    const ofDonations = ["donations/idempotency", "donations/round-trip", "interface/amount", "reports/reports"];
    expect(ofDonations.filter((family) => families.has(family))).toEqual([]);
    const { output: all } = await conformance(["--list"]);
    expect(output.split("\n").length).toBeLessThan(all.split("\n").length / 2);
  });

  test("a difference of createDonation runs its rules, and one of getMe none of them", async () => {
    const words = ["--profile", "interface", "--depth", "quick", "--only", "interface/skip-alert"];
    const server = await foreign();
    const run = ({ ref, env }: Earlier) => conformanceOfProject(["--changed-since", ref, ...words], { ...server, ...env });
    const created = await run(earlier("/api/v1/donations", "post"));
    expect([created.code, created.output]).toEqual([0, expect.stringContaining(": createDonation\n13 of 13 rules ")]);
    expect(created.output).toContain("13 passed");
    const called = parseEvents(created.report("events.ndjson")).flatMap((event) => (event.event === "rule" ? event.operations : []));
    expect(new Set(called)).toEqual(new Set(["createDonation"]));
    const me = await run(earlier("/api/v1/me", "get"));
    expect([me.code, me.output]).toEqual([0, expect.stringContaining(": getMe\n0 of 13 rules ")]);
    expect(me.output).not.toContain("passed");
  });

  test("a run of what has changed says so in its headline, and its badge is grey", () => {
    const run = runWith([rule()], { changedSince: "main" });
    expect(headlineOf(run).text).toBe("no rule failed; the one rule was run; only what has changed since main");
    expect(JSON.parse(badgeOf(run))).toMatchObject({ message: "incomplete: a selection", color: "lightgrey" });
  });
});

/** `ref`: a git tree that has the contract as it was; `env`: where git finds it. */
type Earlier = { ref: string; env: Record<string, string> };

/** Makes git know the contract with another description of this operation, in a folder of its own: the repository stays as it is. */
function earlier(path: string, method: string): Earlier {
  const copy = structuredClone(contract) as Contract;
  Object.assign(copy.paths[path]?.[method] as object, { description: "another" });
  const folder = mkdtempSync(join(tmpdir(), "namjai-changed-since-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "objects"));
  const git = (words: string[], input = "", env: Record<string, string> = {}): string =>
    execFileSync("git", words, { cwd: checkout, input, encoding: "utf8", env: { ...process.env, ...env } }).trim();
  const objects = git(["rev-parse", "--path-format=absolute", "--git-path", "objects"]);
  const env = { GIT_OBJECT_DIRECTORY: join(folder, "objects"), GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
  const blob = git(["hash-object", "-w", "--stdin"], JSON.stringify(copy), env);
  const generated = git(["mktree"], `100644 blob ${blob}\topenapi.json\n`, env);
  return { ref: git(["mktree"], `040000 tree ${generated}\tgenerated\n`, env), env };
}
