// --changed-since: the rules of operations whose contract differs from that of a commit.

import { describe, expect, test } from "vitest";

import { affectedOperations, compareContracts } from "../command/changed-operations.ts";
import { selectRules } from "../command/rule-files.ts";
import { operationOfFamily, titlesOfOperations } from "../command/rules-of-operations.ts";
import { contract, operations, type Schema } from "../harness/oracle/contract.ts";
import { badgeOf } from "../report/badge.ts";
import { headlineOf } from "../report/headline.ts";
import { conformanceOfProject } from "./command.ts";
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
    ["donations/create-donation", "createDonation"],
    ["oauth/issue-token-pkce", "issueToken"],
    ["oauth/authorize-errors", "authorize"],
    ["interface/amount", "createDonation"],
    ["interface/oauth-token", "issueToken"],
    ["interface/oauth-revoke", "revokeToken"],
    ["interface/skip-alert", "createDonation"],
    ["interface/published-contract", null],
    ["derived/bounds", null],
    ["donations/round-trip", null],
  ])("the rule file %s is about %s", (family, operation) => expect(operationOfFamily(family)).toBe(operation));

  test("every operation has a rule file that is run when it alone differs", () => {
    for (const { id } of operations) {
      const { files } = selectRules({ profile: "contract", depth: "full", only: null, operations: [id] });
      const named = files.map((file) => operationOfFamily(file.replace(/^rules\//, "").replace(/\.test\.ts$/, "")));
      expect(new Set(named)).toEqual(new Set([id, null]));
    }
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

describe("the option --changed-since", () => {
  test.each([["no-such-commit"], ["--upload-pack=x"]])("--changed-since=%s is wrong usage", async (ref) => {
    const { code, output } = await conformanceOfProject([`--changed-since=${ref}`], {});
    expect([code, output]).toEqual([64, expect.stringContaining("--changed-since: ")]);
  });

  test("a run since a commit with the same contract says that nothing has changed, runs nothing and exits with 0", async () => {
    const { code, output } = await conformanceOfProject(["--changed-since", "HEAD", "--only", "interface/amount"], {});
    expect([code, output]).toEqual([0, "the contract has not changed since HEAD: nothing to run\n"]);
  });

  test("a run of what has changed says so in its headline, and its badge is grey", () => {
    const run = runWith([rule()], { changedSince: "main" });
    expect(headlineOf(run).text).toBe("no rule failed; the one rule was run; only what has changed since main");
    expect(JSON.parse(badgeOf(run))).toMatchObject({ message: "incomplete: a selection", color: "lightgrey" });
  });
});
