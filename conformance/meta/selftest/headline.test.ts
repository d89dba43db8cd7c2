// What reports say of a run: how much was tried, what was required, how to repeat a failure.

import { describe, expect, test } from "vitest";
import { startCommand } from "../../suite/client/launches.ts";
import { repeatedOptions, suiteCommand } from "../../suite/command/options.ts";
import { parse } from "../../suite/command/usage-error.ts";
import { type Event, runOf } from "../../suite/report/events.ts";
import { diffOf } from "../../suite/report/failure.ts";
import { badgeOf } from "../../suite/report/formats.ts";
import { headlineOf } from "../../suite/report/headline.ts";
import { htmlOf } from "../../suite/report/html.ts";
import { matrixOf, type Run } from "../../suite/report/run.ts";
import { summary } from "../../suite/report/terminal.ts";
import { failedRule, incompleteRun, knownRule, knownRun, passedRun, rule, runWith, skippedRule } from "./runs.ts";

const optionsOf = (...words: string[]): Run["options"] => repeatedOptions(parse(suiteCommand(), words));

describe("the headline", () => {
  test("the headline of a run without failures says how many rules were run", () =>
    expect(headlineOf(passedRun())).toEqual({ outcome: "passed", text: "no rule failed; all 2 rules were run" }));

  test("the headline of a run without a credential is incomplete and says for want of what rules were not run", () =>
    expect(headlineOf(incompleteRun())).toEqual({
      outcome: "incomplete",
      text: "no rule failed; 43 % of the rules were not run, for want of OTHER_API_KEY (2), the operator's CLI (1)",
    }));

  test.each([
    ["OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET are not set", "OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET"],
    ["OAUTH_REVOCABLE_TOKEN is good no longer", "a fresh OAUTH_REVOCABLE_TOKEN"],
    ["this run has no key with the scope read:alerts alone", "a key with the scope read:alerts alone"],
    ["there is no redis-server (apt-get install redis-server)", "redis-server"],
    ["left out, because the server limits the rate", "time within the server's rate limit"],
    ["reads the suite's own files, which the package does not contain", "the suite's own files"],
  ])("the headline of a run in which %s is for want of %s", (why, want) =>
    expect(headlineOf(runWith([skippedRule({ why })])).text).toContain(`for want of ${want} (1)`),
  );

  test.each([
    ["left out by --read-only: it sends a request that may change something", "left out by --read-only (1)"],
    ["left out to end in time: --seconds allows more", "left out to end in time (1)"],
    ["the preparation of this rule failed", "because the preparation of this rule failed (1)"],
  ])("the headline of a run in which a rule is not run with the reason “%s” says: %s", (why, clause) =>
    expect(headlineOf(runWith([skippedRule({ why })])).text).toMatch(new RegExp(`were not run, ${clause.replace(/[()]/g, "\\$&")}$`)),
  );

  test("the headline names what was missing, what was left out and other reasons apart, the most frequent first", () => {
    const missing = skippedRule();
    const leftOut = skippedRule({ why: "left out by --read-only: it sends a request that may change something" });
    const late = skippedRule({ why: "left out to end in time: --seconds allows more" });
    expect(headlineOf(runWith([missing, late, leftOut, leftOut])).text).toBe(
      "no rule failed; 100 % of the rules were not run, left out by --read-only (2), to end in time (1), for want of OTHER_API_KEY (1)",
    );
  });

  test("the headline of a quick run is not incomplete, and says what the depth left out", () => {
    const quick = skippedRule({ why: "only with --depth standard: slow", required: false });
    const leftOut = [{ family: "a", reason: "slow" }];
    expect(headlineOf(runWith([rule(), quick], { depth: "quick", leftOut }))).toEqual({
      outcome: "passed",
      text: "no rule failed; 50 % of the rules were not run, left out by --depth quick (1); --depth quick leaves out 1 rule file",
    });
  });

  test("rules that ask the server nothing do not make the share of those that were not run smaller, in the headline and on the badge", () => {
    const run = runWith([rule(), skippedRule(), ...Array.from({ length: 8 }, () => rule({ offline: true }))]);
    expect(headlineOf(run).text).toContain("50 % of the rules that ask the server were not run");
    expect(JSON.parse(badgeOf(run)).message).toBe("incomplete: 50 % not run");
  });

  test("the headline of a failed run counts failures and what was not run", () =>
    expect(headlineOf(runWith([failedRule(), rule(), skippedRule()])).text).toBe(
      "1 of 3 rules failed; 33 % of the rules were not run, for want of OTHER_API_KEY (1)",
    ));

  test("the headline of profile interface says that it does not look at what is stored and answered, nor at exchanges of tokens", () =>
    expect(headlineOf(runWith([rule()], { profile: "interface" })).text).toBe(
      "no rule failed; the one rule was run; profile interface does not look at what is stored and answered, nor whether a valid code or refresh token is exchanged",
    ));

  test("the headline names known failures beside other failures and beside none", () => {
    expect(headlineOf(knownRun())).toEqual({ outcome: "passed", text: "no new failure, 1 known failure; all 2 rules were run" });
    expect(headlineOf(runWith([failedRule(), knownRule()])).text).toBe("1 of 2 rules failed, 1 known failure; all 2 rules were run");
  });

  test("the headline never rounds a few rules to 0 % nor almost all to 100 %", () => {
    const many = Array.from({ length: 999 }, () => rule());
    expect(headlineOf(runWith([...many, skippedRule()])).text).toContain("less than 1 % of the rules");
  });

  test("the terminal and report.html are green only when every required rule was run", () => {
    expect(htmlOf(passedRun())).toContain('<body class="passed">');
    expect(htmlOf(incompleteRun())).toContain('<body class="incomplete">');
    expect(htmlOf(knownRun())).toContain('<body class="known">');
    expect(summary(knownRun(), { isTTY: true })).toContain("\x1b[33m\x1b[1mpassed: no new failure, 1 known failure");
    expect(summary(passedRun(), { isTTY: true })).toContain("\x1b[32m\x1b[1mpassed: no rule failed");
    expect(summary(incompleteRun(), { isTTY: true })).toContain("\x1b[33m\x1b[1mincomplete: no rule failed; 43 %");
  });
});

describe("a failure", () => {
  const html = htmlOf(runWith([failedRule()]));

  test("a failure shows expected and actual, and marks the lines that differ", () => {
    expect(html).toContain('<span class="differs">  status: 400,</span>');
    expect(html).toContain('<span class="differs">  status: 201,</span>');
    expect(html).toContain("<span>  code: 'x'</span>");
  });

  test("a failure shows the status that broke the rule as wrong, even when it is a success, and no other", () => {
    expect(html).toMatch(/<b class="status wrong">201<\/b> the request that broke the rule/);
    expect(html).toMatch(/<b class="status">201<\/b> other request of the rule: its answer is not at fault/);
    expect(html.match(/class="status wrong"/g)?.length).toBe(1);
  });

  test("a failure says how to start the server that its request needs", () => {
    expect(html).toContain("DATA_DIR=$(mktemp -d) PORT=24555 RATE_LIMITS=off make start");
    expect(summary(runWith([failedRule()]), {})).toContain("start    DATA_DIR=$(mktemp -d) PORT=24555");
  });

  test("a failure is repeated with the options of its run, and a login command with arguments by the name of a variable", () => {
    const given = ["--oauth-credentials", "clients.json", "--oauth-login-command", "./log-in --password hunter2", "--state", "my state"];
    const options = optionsOf(...given, "--may-disturb-alerts", "--har");
    expect(summary(runWith([failedRule()], { options }), {})).toContain(
      `replay   make conformance URL=https://api.example.com OAUTH_CREDENTIALS=clients.json OAUTH_LOGIN_COMMAND="$OAUTH_LOGIN_COMMAND" STATE='my state' MAY_DISTURB_ALERTS=1 SEED=5:1:0`,
    );
  });

  test("a failure of a run without a corpus is repeated without one", () =>
    expect(summary(runWith([failedRule()], { options: optionsOf("--no-corpus") }), {})).toContain(" NO_CORPUS=1 SEED=5:1:0"));

  test("a failure of a mutant is repeated by the command that runs the mutant", () => {
    const text = summary(runWith([failedRule()], { mutant: "amount-0" }), {});
    expect(text).toContain("replay   make mutants MUTANTS=amount-0 SEED=5\n");
    expect(text).not.toContain("make start");
  });
});

test("the command that starts a server has its settings, without secrets, databases and the machine's own", () =>
  expect(
    startCommand({ PATH: "/bin", PGUSER: "x", DATABASE_URL: "postgres://u:p@h/d", SECRET_KEY: "s", PORT: "24555", BRAND: "a b" }),
  ).toBe("DATA_DIR=$(mktemp -d) PORT=24555 BRAND='a b' make start"));

test("the matrix has one column for a member, whether rules name it or point to it", () =>
  expect(
    matrixOf([rule({ tried: { amount: 1, "/amount": 2, body: 3, "the body": 4 } })]).rows.map(({ cells }) => [...cells.keys()]),
  ).toEqual([["amount", "body"]]));

test("two texts are compared line by line, equal lines beside each other", () =>
  expect(diffOf("a\nb\nc", "a\nx\ny\nc")).toEqual([
    { expected: "a", actual: "a", same: true },
    { expected: "b", actual: "x", same: false },
    { expected: null, actual: "y", same: false },
    { expected: "c", actual: "c", same: true },
  ]));

describe("events", () => {
  const eventsOf = ({ rules, verdict, reason, milliseconds, notes, leftOut, startedAt, errors, ...settings }: Run): Event[] => [
    { event: "start", ...settings, startedAt: startedAt.toISOString() },
    ...rules.map((one) => ({ event: "rule" as const, ...one })),
    ...errors.map((message) => ({ event: "error" as const, message })),
    { event: "end", verdict, reason, milliseconds, notes, filesLeftOut: leftOut, counts: {} as never, digests: [] },
  ];

  test("events of a run are the run", () => {
    const run = incompleteRun();
    expect(runOf(eventsOf(run))).toEqual(run);
  });

  test("events of a run that did not end are not measurable, and those without a start are refused", () => {
    expect(runOf(eventsOf(passedRun()).slice(0, -1))).toMatchObject({
      verdict: "not measurable",
      reason: { text: "the run ended without a result" },
    });
    expect(() => runOf([])).toThrow("the events have no start");
  });
});
