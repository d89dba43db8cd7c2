// Report formats for machines: each is valid by its published schema, whatever titles, values and answers contain.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";
import { describe, expect, test } from "vitest";
import { validateXML } from "xmllint-wasm";

import { badgeOf, harOfRequests, junitOf, sarifOf } from "../../suite/report/formats.ts";
import { readResult, resultOf, yamlOf } from "../../suite/report/result.ts";
import type { Run } from "../../suite/report/run.ts";
import { githubErrorsOf, githubSummaryOf } from "../../suite/report/write.ts";
import { failedRule, incompleteRun, knownRule, knownRun, passedRun, rule, runWith, skippedRule } from "./runs.ts";

const schemaFile = (name: string): string => readFileSync(new URL(`schemas/${name}`, import.meta.url), "utf8");

/** Jenkins took `message` of `skipped` into later versions of its schema, and shows it. */
const junitSchema = schemaFile("junit.xsd").replace(
  '<xs:element name="skipped" type="xs:string"/>',
  '<xs:element name="skipped"><xs:complexType mixed="true"><xs:attribute name="message" type="xs:string"/></xs:complexType></xs:element>',
);

const newAjv = (): Ajv => new Ajv({ strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false });

/** `$schema` and `id` of the drafts before 2019 are left out: the validator reads the keywords alone. */
function compiled(schema: { [keyword: string]: unknown }): ValidateFunction {
  const { $schema, id, ...keywords } = schema;
  return newAjv().compile(keywords);
}

const sarif = compiled(JSON.parse(schemaFile("sarif-2.1.0.json")));
const har = harValidator();

function harValidator(): ValidateFunction {
  const ajv = newAjv();
  const harSchemas: Record<string, Record<string, unknown>> = createRequire(import.meta.url)("har-schema");
  for (const { $schema, ...schema } of Object.values(harSchemas)) ajv.addSchema(schema);
  return ajv.getSchema("har.json#") as ValidateFunction;
}

const notMeasurable = runWith([], { verdict: "not measurable", reason: { text: "unknown host", curl: "curl x" } });

const runs: [string, Run][] = [
  ["a passed run", passedRun()],
  ["an incomplete run", incompleteRun()],
  ["a run with a known failure", knownRun()],
  ["a failed run", runWith([rule(), failedRule(), skippedRule()], { leftOut: [{ family: "guessing", reason: "slow" }] })],
  ["a run with an error outside of the rules", runWith([rule()], { verdict: "failed", errors: ["it \u0000 broke\nhere"] })],
  ["a run that was not measurable", notMeasurable],
];

function expectValid(validate: ValidateFunction, text: string): void {
  validate(JSON.parse(text));
  expect(validate.errors ?? []).toEqual([]);
}

describe.each(runs)("%s", (title, run) => {
  test(`${title} is written as valid SARIF 2.1.0`, () => expectValid(sarif, sarifOf(run)));

  test(`${title} is written as valid JUnit`, async () => {
    const xml = { fileName: "junit.xml", contents: junitOf(run) };
    const { errors } = await validateXML({ xml: [xml], schema: [junitSchema] });
    expect(errors).toEqual([]);
  });

  test("a result that is read back as it was written", () => expect(readResult(yamlOf(run), "result.yaml")).toEqual(resultOf(run)));

  test("a badge of the endpoint schema of shields.io", () => {
    const badge = JSON.parse(badgeOf(run));
    expect(badge).toEqual({
      schemaVersion: 1,
      label: "conformance",
      message: expect.stringMatching(/./),
      color: expect.stringMatching(/^(brightgreen|yellow|red|lightgrey)$/),
      isError: run.verdict === "failed",
    });
  });
});

test("requests.har is valid HAR 1.2, also of a request without body and of an answer without headers", () => {
  const sent = { rule: "a", startedAt: 1_700_000_000_000, milliseconds: 3, method: "GET", url: "http://x/a?b=c", status: 200 };
  const bare = { ...sent, requestHeaders: [], requestBody: null, responseHeaders: [], responseBody: "" };
  const full = {
    ...sent,
    requestHeaders: [["content-type", "text/plain"]],
    requestBody: "x",
    responseHeaders: [["location", "http://x/b"]],
  };
  expectValid(
    har,
    harOfRequests([bare, { ...full, responseBody: "y" }] as Parameters<typeof harOfRequests>[0], (text) => text),
  );
});

describe("a failed rule", () => {
  const amount = failedRule({ family: "interface/amount", tried: { amount: 3 } });

  test("a failed rule stands in SARIF at the line of spec/ that declares its member", () => {
    const [found] = JSON.parse(sarifOf(runWith([amount]))).runs[0].results;
    const { artifactLocation, region } = found.locations[0].physicalLocation;
    const line = readFileSync(new URL(`../../../${artifactLocation.uri}`, import.meta.url), "utf8").split("\n")[region.startLine - 1];
    expect([artifactLocation.uri, line]).toEqual(["spec/donations.tsp", "  amount: amount;"]);
  });

  test("a failed rule of an operation stands at the line of the operation, and one of no operation at the service", () => {
    const places = [failedRule({ family: "donations/list-donations", tried: {} }), failedRule({ family: "x/y", failure: null })].map(
      (one) => {
        const [{ locations }] = JSON.parse(sarifOf(runWith([one]))).runs[0].results;
        const { artifactLocation, region } = locations[0].physicalLocation;
        return readFileSync(new URL(`../../../${artifactLocation.uri}`, import.meta.url), "utf8")
          .split("\n")
          [region.startLine - 1]?.trim();
      },
    );
    expect(places).toEqual(["op listDonations(", expect.stringMatching(/^import /)]);
  });

  test("a failed rule is one ::error command of GitHub, whose text cannot begin another command", () => {
    const [line = "", ...others] = githubErrorsOf(runWith([failedRule({ title: "100 %\n::error::x" })]));
    expect(others).toEqual([]);
    expect(line).toMatch(/^::error file=spec\/\w+\.tsp,line=\d+,title=amount::100 %25%0A::error::x%0A/);
  });

  test("a failed rule is named in the summary of a job, with the command that repeats it and without markup of its own", () => {
    const text = githubSummaryOf(runWith([failedRule()]));
    expect(text).toContain("## ❌ Conformance: failed");
    expect(text).toContain("replay: make conformance URL=https://api.example.com SEED=5:1:0");
    expect(text).toContain("&lt;b\\>");
  });
});

describe("a known failure", () => {
  const run = runWith([rule(), rule({ offline: true }), knownRule()]);

  test("a known failure is a suppressed result of SARIF, with its reason", () => {
    const [{ suppressions }] = JSON.parse(sarifOf(run)).runs[0].results;
    expect(suppressions).toEqual([
      { kind: "external", status: "accepted", justification: "ticket 12 # <b>", properties: { expires: "2027-01-31" } },
    ]);
  });

  test("a known failure is listed in the summary of a job, and is no ::error", () => {
    const text = githubSummaryOf(run);
    expect(text).toContain("## 🟡 Conformance: passed");
    expect(text).toMatch(/Known failures:\n\n- amount \\> .*known failure: ticket 12 \\# &lt;b\\> \(until 2027-01-31\)/);
    expect(githubErrorsOf(run)).toEqual([]);
  });

  test("a known failure is counted as known in result.yaml, not as failed", () =>
    expect(resultOf(run)).toMatchObject({ outcome: "passed", counts: { failed: 0, known: 1 }, failures: {} }));
});

describe("the badge", () => {
  const colour = (run: Run): string => JSON.parse(badgeOf(run)).color;

  test("the badge is green when every required rule passed, yellow when some are known failures, grey when one was not run, red when one failed", () =>
    expect([passedRun(), knownRun(), incompleteRun(), runWith([failedRule(), skippedRule()])].map(colour)).toEqual([
      "brightgreen",
      "yellow",
      "lightgrey",
      "red",
    ]));

  test("the badge is grey when --only or the depth left out rules, and when the server was not measurable", () => {
    const partial = [{ only: "amount" }, { depth: "quick", leftOut: [{ family: "a", reason: "slow" }] }];
    expect([...partial.map((members) => colour(runWith([rule()], members))), colour(notMeasurable)]).toEqual(Array(3).fill("lightgrey"));
  });
});

test("a result.yaml says what the run was a part of, and one of an earlier version that does not is read all the same", () => {
  const members = {
    lengthUnit: "graphemes",
    changedSince: "main",
    shard: { index: 1, count: 4 },
    leftOut: [{ family: "a", reason: "slow" }],
  };
  const text = yamlOf(runWith([rule()], members));
  const written = { lengthUnit: "graphemes", changedSince: "main", shard: "1/4", filesLeftOut: 1 };
  expect(readResult(text, "a.yaml")).toMatchObject(written);
  const earlier = text.replace(/^(?:lengthUnit|changedSince|shard|filesLeftOut): .*\n/gm, "");
  expect(readResult(earlier, "a.yaml")).toMatchObject({ lengthUnit: "", changedSince: null, shard: null, filesLeftOut: 0 });
});

test("a result.yaml that is none is refused with file and line, or with the missing member", () => {
  expect(() => readResult("implementation: x\n", "a.yaml")).toThrow("a.yaml, line 1: the value must be written as JSON, not x");
  expect(() => readResult("- x\n", "a.yaml")).toThrow('a.yaml, line 1: expected "name: value", not "- x"');
  expect(() => readResult('implementation: "x"\n', "a.yaml")).toThrow(/a\.yaml is no result of the suite: outcome, .* is missing/);
});
