import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import document from "../../../generated/openapi.json" with { type: "json" };
import { deprecationFaults } from "../../../spec/check/deprecations.ts";
import { releaseFaults } from "../../../spec/check/release.ts";
import { deprecationFaults as answerFaults } from "../../suite/client/check-answer.ts";
import { operationsIn } from "../../suite/contract/contract.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { checkout, node } from "../../suite/contract/sources.ts";

// Deprecated operations: getMe is deprecated in a copy of spec/, which is compiled as `make generate` does it.

const days = { since: "2026-12-01", sunset: "2028-01-01" };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "namjai-spec-"));
  for (const part of ["spec", "tspconfig.yaml", "package.json"]) await cp(join(checkout, part), join(folder, part), { recursive: true });
  await symlink(join(checkout, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Compiles the contract with these lines in front of getMe's decorators. */
async function compiled(lines: string): Promise<typeof document> {
  const spec = await readFile(join(checkout, "spec/account.tsp"), "utf8");
  const edited = spec.replace('@summary("Get the current credential")', `${lines}\n$&`);
  expect(edited).not.toBe(spec);
  await writeFile(join(folder, "spec/account.tsp"), edited);
  const tsp = join(checkout, "node_modules/@typespec/compiler/cmd/tsp.js");
  await promisify(execFile)(node, [tsp, "compile", "spec/main.tsp", "--warn-as-error"], { cwd: folder });
  return JSON.parse(await readFile(join(folder, "generated/openapi.json"), "utf8"));
}

const extension = (members: string) => `@extension("x-deprecation", #{ ${members} })`;
const directive = '#deprecated "Use listDonations."';

describe("a deprecated operation in spec/", () => {
  test("a deprecated operation of spec/ has its dates in the contract, and no other operation has any", async () => {
    const contract = await compiled(
      `${directive}\n${extension(`since: "${days.since}", sunset: "${days.sunset}", instead: "listDonations"`)}`,
    );
    expect(deprecationFaults(contract)).toEqual([]);
    const ending = operationsIn(contract).filter(({ deprecation }) => deprecation);
    expect(ending.map(({ id, deprecation }) => [id, deprecation])).toEqual([["getMe", { ...days, instead: "listDonations" }]]);
  });

  test("a deprecated operation of spec/ without dates is reported, with the decorator to add", async () => {
    expect(deprecationFaults(await compiled(directive))).toEqual([
      expect.stringMatching(/^getMe is deprecated without dates: add @extension\(/),
    ]);
  });
});

type Node = { deprecated?: boolean; "x-deprecation"?: object };

/** The current contract with this deprecation of getMe. */
function contractWith(deprecation: object | undefined, deprecated = true) {
  const contract = structuredClone(document);
  Object.assign(contract.paths["/api/v1/me"].get as Node, { deprecated, "x-deprecation": deprecation });
  return contract;
}

describe("an invalid deprecation is reported", () => {
  test.each([
    ["sunset less than a year after since", { since: "2026-11-02", sunset: "2027-11-01" }, /less than a year.*2027-11-02/],
    ["a day that does not exist", { since: "2027-02-29", sunset: "2029-01-01" }, /since must be a day/],
    ["a day with a time", { since: "2026-11-01", sunset: "2028-01-01T00:00:00Z" }, /sunset must be a day/],
    ["no sunset", { since: "2026-11-01" }, /sunset must be a day/],
    ["instead that names no operation", { ...days, instead: "getYou" }, /getYou is none/],
    ["an unknown member", { ...days, until: "2028-01-01" }, /unknown member until/],
  ])("%s", (_, deprecation, fault) => expect(deprecationFaults(contractWith(deprecation))).toEqual([expect.stringMatching(fault)]));

  test("x-deprecation of an operation that is not marked as deprecated is reported", () =>
    expect(deprecationFaults(contractWith(days, false))).toEqual([expect.stringContaining("add #deprecated")]));

  test("a year after 29 February ends on 1 March", () =>
    expect(deprecationFaults(contractWith({ since: "2028-02-29", sunset: "2029-03-01" }))).toEqual([]));
});

describe("make release refuses", () => {
  const changelog = (deprecated: string, name = "2.0.0 (2026-12-01)") =>
    `# Changelog\n\n## ${name}\n\n### Deprecated\n${deprecated}\n\n## 1.0.0\n`;
  const version = (contract: typeof document, is: string) => ({ ...contract, info: { ...contract.info, version: is } });
  const release = {
    packageVersion: "2.0.0",
    contract: version(contractWith(days), "2.0.0"),
    released: version(document, "1.0.0"),
    changelog: changelog("- `getMe` ends on 2028-01-01."),
    today: "2026-12-01",
  };

  test("make release reports nothing when version, contract and changelog agree", () => expect(releaseFaults(release)).toEqual([]));

  test.each([
    ["a package of another version", { packageVersion: "1.9.0" }, /package\.json has the version 1\.9\.0/],
    [
      "a changelog whose top section is unreleased",
      { changelog: changelog("- `getMe` ends.", "Unreleased") },
      /top section is "Unreleased"/,
    ],
    ["a changelog that does not name what was deprecated", { changelog: changelog("- Something.") }, /"### Deprecated".*names `getMe`/],
    ["a deprecation whose end is less than a year away", { today: "2027-01-02" }, /getMe ends on 2028-01-01, less than a year after/],
    [
      "a changed contract of the same version",
      { released: version(document, "2.0.0") },
      /its version must be higher than that, not 2\.0\.0/,
    ],
    ["a changed contract of a lower version", { released: version(document, "10.0.0") }, /must be higher/],
  ])("%s", (_, change, fault) => expect(releaseFaults({ ...release, ...change })).toEqual([expect.stringMatching(fault)]));

  test("make release refuses a changelog that does not name a new operation or a new member of a released one", () => {
    const { "/api/v1/me": _, ...paths } = document.paths;
    const { schemas } = document.components;
    const { voided: _voided, ...properties } = schemas.Donation.properties;
    const components = { ...document.components, schemas: { ...schemas, Donation: { ...schemas.Donation, properties } } };
    const faults = releaseFaults({
      ...release,
      contract: version(document, "2.0.0"),
      released: { ...release.released, paths, components } as never,
      changelog: changelog("- Something."),
    });
    expect(faults).toEqual([
      'CHANGELOG.md: no line of "2.0.0" names the member voided of Donation',
      'CHANGELOG.md: no line of "2.0.0" names the operation getMe',
    ]);
  });
});

describe("an answer of a deprecated operation", () => {
  const reply = (headers: Record<string, string>, status = 200) => ({ status, headers, text: "", body: undefined }) as Reply;
  const right = { deprecation: "@1796083200", sunset: "Sat, 01 Jan 2028 00:00:00 GMT" };
  const ending = { deprecation: days };

  test("every answer of a deprecated operation must have the headers Deprecation and Sunset, errors included", () => {
    expect(answerFaults(ending, reply(right))).toEqual([]);
    expect(answerFaults(ending, reply({}, 404))).toHaveLength(2);
    expect(answerFaults(ending, reply({ ...right, deprecation: "true" }))).toHaveLength(1);
    expect(answerFaults(ending, reply({ ...right, sunset: "2028-01-01" }))).toHaveLength(1);
  });

  test("a 503 of a deprecated operation may lack the headers, since the server sends it before routing", () =>
    expect(answerFaults(ending, reply({}, 503))).toEqual([]));

  test("an answer of an operation that is not deprecated must not have the headers", () => {
    expect(answerFaults({ deprecation: null }, reply({}))).toEqual([]);
    expect(answerFaults({ deprecation: null }, reply(right))).toHaveLength(1);
    expect(answerFaults(null, reply(right))).toHaveLength(1);
  });
});
