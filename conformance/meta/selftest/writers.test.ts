// The writers of reports: junit.xml, report.html, the terminal's summary, the matrix, digests and redaction.

import { describe, expect, test } from "vitest";
import { junitOf } from "../../suite/report/formats.ts";
import { htmlOf } from "../../suite/report/html.ts";
import { digestsOf, edgesOf, matrixOf, type Rule, type Run } from "../../suite/report/run.ts";
import { summary } from "../../suite/report/terminal.ts";
import { redactor } from "../../suite/values/redact.ts";
import { fieldsOf } from "../../suite/values/score.ts";
import { failedRule, knownRule, knownRun, rule, runWith, skippedRule } from "./runs.ts";

const failing = failedRule();
const skipped = skippedRule();
const run = (rules: Rule[], members: Partial<Run> = {}): Run =>
  runWith(rules, { leftOut: [{ family: "guessing", reason: "only with --depth full: slow" }], ...members });

describe("junit.xml", () => {
  const xml = junitOf(run([rule(), failing, skipped]));

  test("junit.xml has a test case for each rule and for each rule file that was not run", () => {
    expect(xml.match(/<testcase /g)?.length).toBe(4);
    expect(xml).toContain('<testsuites name="conformance" tests="4" failures="1" errors="0" time="1.234">');
    expect(xml).toContain('<testsuite name="amount" timestamp="2026-01-02T03:04:05"');
    expect(xml).toContain('<skipped message="OTHER_API_KEY is not set"/>');
    expect(xml).toContain('<skipped message="only with --depth full: slow"/>');
  });

  test("junit.xml contains no character that XML cannot represent", () => {
    expect(xml).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f]|<b>|& /);
    expect(xml.isWellFormed()).toBe(true);
  });

  test("junit.xml reports an error when the server was not measurable", () => {
    const unmeasured = junitOf(run([], { verdict: "not measurable", reason: { text: "unknown host", curl: "curl x" } }));
    expect(unmeasured).toMatch(/errors="1".*<error message="unknown host" type="run">unknown host&#10;curl x<\/error>/s);
  });
});

test("report.html shows failures and escapes everything that a server answered", () => {
  const html = htmlOf(run([rule(), failing, skipped]));
  for (const text of ["1 failed rule", "the smallest value found, after 3 steps", "OTHER_API_KEY is not set", "interface 2.2.4"])
    expect(html).toContain(text);
  expect(html).not.toContain("<marquee>");
  expect(html).not.toContain("</script><script>");
  expect(html).not.toMatch(/(src|href)="(?!#)/);
});

test("report.html shows a known failure with its reason and a mark of its own, and not as failed", () => {
  const html = htmlOf(knownRun());
  for (const text of [
    "Passed, except for known failures",
    "<h2>1 known failure</h2>",
    "known failure: ticket 12 # &lt;b&gt; (until 2027-01-31)",
    '<li class="known"><i>!</i>',
    '<summary><i class="known"></i>',
    'class="tile known"',
  ])
    expect(html).toContain(text);
  expect(html).not.toContain('class="tile failed"');
  expect(html).not.toContain('<li class="failed">');
});

test("the matrix counts known failures apart, in red only beside others", () => {
  const [row] = matrixOf([rule(), failing, knownRule()]).rows;
  expect(row?.cells.get("amount")).toEqual({ tried: 40, passed: 1, failed: 1, known: 1 });
  const text = summary(knownRun(), {});
  expect(text).toMatch(/^amount +35 !1 +2 !1 +·$/m);
  expect(text).toContain("! known failures");
  expect(text).not.toContain("✗1");
});

test("the terminal shows rule, value and answer of a failure and the command that repeats it, quoted for a shell", () => {
  const text = summary(run([rule(), failing, skipped]), {});
  expect(text).toContain('value    "</script><script>"  (shrunk 3 times)');
  expect(text).toContain("answer   201 <marquee>");
  expect(text).toContain("replay   make conformance URL=https://api.example.com SEED=5:1:0 ONLY='it'\\''s <b>");
  expect(text).toContain("& $HOME # a \\ b (interface 2.2.4)'");
  expect(text).toContain("never tried: amount 0 (amount)");
  expect(text).toContain("3 rules: 1 passed, 1 failed, 1 not run");
});

test("every report shows one of the rules that failed for the same reason in full, and the titles of the others", () => {
  const crash = (family: string, title: string): Rule =>
    rule({
      family,
      title,
      state: "failed",
      failure: {
        ...(failing.failure as NonNullable<Rule["failure"]>),
        exchanges: [{ curl: `curl ${title}`, operation: "POST /x", status: 500, decisive: true, headers: [], body: "" }],
      },
    });
  const sameReason = run([crash("amount", "first"), crash("amount", `second ${"x".repeat(99)}`), crash("message", "third")]);
  const text = summary(sameReason, {});
  expect(text).toContain("3 RULES FAILED FOR THE SAME REASON  POST /x was answered 500\nFAILED  amount > first\n");
  expect(text).toMatch(/^ {2}others {3}amount \(1\): second x+…\n {2}others {3}message \(1\): third$/m);
  expect([text.match(/request {2}curl/g)?.length, text.match(/replay {3}make/g)?.length]).toEqual([1, 1]);
  expect(junitOf(sameReason).match(/same reason: 3 rules failed for this reason: POST \/x was answered 500/g)?.length).toBe(3);
  const html = htmlOf(sameReason);
  expect(html).toContain("3 rules failed for the same reason: POST /x was answered 500");
  for (const title of ["first", "third"]) expect(html).toContain(`curl ${title}`);
});

test("the matrix adds up values and rules by rule family and field", () => {
  const { fields, rows, others } = matrixOf([rule(), failing, skipped, rule({ family: "b", tried: { "": 1, other: 2 } })], 2);
  expect(fields).toEqual(["amount", "message", ""]);
  expect(rows.map(({ family, cells }) => [family, Object.fromEntries(cells)])).toEqual([
    ["amount", { amount: { tried: 35, passed: 1, failed: 1, known: 0 }, message: { tried: 2, passed: 0, failed: 1, known: 0 } }],
  ]);
  expect(others.map(({ family, cells }) => [family, cells.get("")])).toEqual([["b", { tried: 3, passed: 1, failed: 0, known: 0 }]]);
});

test("values are counted under the fields that a rule names, the others under the field that about() names", () => {
  expect(fieldsOf({ tried: {} })).toEqual({ "": 1 });
  expect(fieldsOf({ about: "amount", tried: { "": 100 } })).toEqual({ amount: 100 });
  expect(fieldsOf({ tried: { "": 100, amount: 60 } })).toEqual({ "": 40, amount: 60 });
  expect(fieldsOf({ tried: { "": 100, amount: 100 } })).toEqual({ amount: 100 });
});

test("the hits of one edge case in several rules of a family are added up", () =>
  expect(edgesOf([failing, failing])).toEqual([
    { family: "amount", edge: "amount 0", hits: 0 },
    { family: "amount", edge: "amount 1", hits: 6 },
  ]));

test("a digest covers interface/ and derived/ only, and does not depend on the order of rules", () => {
  const [a, b] = [rule({ family: "interface/a" }), rule({ family: "interface/b", digest: "cd" })];
  expect(digestsOf([a, b, rule()])).toEqual(digestsOf([b, a]));
  expect(digestsOf([a, { ...b, digest: "ce" }])).not.toEqual(digestsOf([a, b]));
});

test("known secrets are replaced by the names of their variables, and other texts in the form of a secret by …", () => {
  const keys = {
    main: "namjai_v1_aaaaaaaaaaaaaaaaaaaa",
    secondApplication: null,
    readOnly: null,
    writeOnly: null,
    other: null,
    quiet: null,
    overlay: null,
    otherOverlay: null,
  };
  const redact = redactor({ keys, client: { id: "app", secret: "client secret+1" }, oauth: null }, ["remembered-token"]);
  expect(redact(`Bearer ${keys.main} client%20secret%2B1 remembered-token`)).toBe("Bearer $API_KEY $OAUTH_CLIENT_SECRET …");
  expect(redact('{"access_token":"abc","code":"validation_failed","password":"a\\"b"}')).toBe(
    '{"access_token":"…","code":"validation_failed","password":"…"}',
  );
  expect(redact("https://c.example/cb?code=Zx81&state=xyz Basic YXBwOnNlY3JldA== tipjar_v1_0123456789abcdefABCD")).toBe(
    "https://c.example/cb?code=…&state=xyz Basic … …",
  );
});

test("the terminal shortens a long request and says where the whole of it is, and report.html has it whole", () => {
  const body = "x".repeat(100_000);
  const curl = `curl -X POST --data-binary '${body}' 'http://x/api/v1/donations'`;
  const { failure } = failedRule();
  const [, exchange] = failure?.exchanges ?? [];
  const run = runWith([
    failedRule({ failure: failure && exchange ? { ...failure, value: body, exchanges: [{ ...exchange, curl }] } : null }),
  ]);
  const text = summary(run, {});
  expect(text.length).toBeLessThan(10_000);
  expect(text).toMatch(
    /curl -X POST --data-binary 'x+ … \([\d,]+ characters left out; the whole text is in report.html and events.ndjson\) … x+' 'http:/,
  );
  expect(htmlOf(run)).toContain(body);
});

test("the terminal never shortens the command that repeats a failure", () => {
  const path = `5:${"0:".repeat(3_000)}0`;
  const { failure } = failedRule();
  const run = runWith([failedRule({ failure: failure && { ...failure, seed: path } })]);
  expect(summary(run, {})).toContain(path);
});

test("report.html of a run that was interrupted does not say that the server could not be tested", () => {
  const run = runWith([rule()], { verdict: "not measurable", reason: { text: "interrupted", curl: null } });
  expect(htmlOf(run)).toContain("Not measurable: the run did not end");
  expect(htmlOf({ ...run, rules: [] })).toContain("Not measurable: the server could not be tested");
});
