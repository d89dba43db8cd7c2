// Runs that the tests of reports are made with.

import { type Result, resultOf } from "../../suite/report/result.ts";
import { isUnknownFailure, type Rule, type Run } from "../../suite/report/run.ts";
import type { Row as MutantRow } from "../mutants/outcome.ts";

export const rule = (members: Partial<Rule> = {}): Rule => ({
  family: "amount",
  title: "above 0 is accepted (interface 2.1)",
  offline: false,
  state: "passed",
  why: null,
  required: true,
  milliseconds: 12,
  tried: { amount: 30 },
  chosenFrom: [],
  leftOut: 0,
  leftOutForTime: 0,
  edges: {},
  requests: 30,
  operations: ["createDonation"],
  digest: "ab",
  failure: null,
  ...members,
});

/** A failed rule with texts that every format must escape, a setup request and the decisive one. */
export const failedRule = (members: Partial<Rule> = {}): Rule =>
  rule({
    title: "it's <b>\u0000broken\ud800</b> & $HOME # a \\ b (interface 2.2.4)",
    state: "failed",
    tried: { amount: 5, message: 2 },
    edges: { "amount 0": 0, "amount 1": 3 },
    failure: {
      message: "expected 201 to be 400",
      reason: "expected \u0007 ]]> 201\nmore | of `it`",
      comparison: { expected: "{\n  status: 400,\n  code: 'x'\n}", actual: "{\n  status: 201,\n  code: 'x'\n}" },
      value: '"</script><script>"',
      shrinks: 3,
      seed: "5:1:0",
      count: null,
      others: ["another"],
      exchanges: [
        { curl: "curl 'http://x/setup'", operation: "GET /", status: 201, decisive: false, headers: [], body: "{}" },
        {
          curl: "curl 'http://x'",
          operation: "POST /api/v1/donations",
          status: 201,
          decisive: true,
          headers: [["content-type", "text/plain"]],
          body: `<marquee> ${"long ".repeat(400)}`,
        },
      ],
      start: "DATA_DIR=$(mktemp -d) PORT=24555 RATE_LIMITS=off make start",
    },
    ...members,
  });

export const knownRule = (): Rule => failedRule({ edges: {}, known: { reason: "ticket 12 # <b>", expires: "2027-01-31" } });

export const skippedRule = (members: Partial<Rule> = {}): Rule =>
  rule({ state: "not run", why: "OTHER_API_KEY is not set", tried: {}, requests: 0, operations: [], ...members });

export const runWith = (rules: Rule[], members: Partial<Run> = {}): Run => ({
  verdict: rules.some(isUnknownFailure) ? "failed" : "passed",
  reason: null,
  server: { url: "https://api.example.com", ours: false },
  implementation: "an example",
  mutant: null,
  versions: { contract: "1.0.0", suite: "1.0.0" },
  profile: "contract",
  depth: "full",
  lengthUnit: "code-points",
  only: null,
  changedSince: null,
  shard: null,
  seed: 5,
  options: [],
  startedAt: new Date("2026-01-02T03:04:05Z"),
  milliseconds: 1234,
  notes: ["valid donations are accepted"],
  rules,
  leftOut: [],
  errors: [],
  ...members,
});

export const passedRun = (): Run =>
  runWith([rule(), rule({ family: "interface/texts", title: "the longest message is accepted", tried: { message: 9, "/goal/from": 2 } })]);

/** 3 of 7 rules were not run. */
export const incompleteRun = (): Run =>
  runWith([
    ...["a", "b", "c", "d"].map((title) => rule({ title })),
    skippedRule({ title: "e" }),
    skippedRule({ title: "f" }),
    skippedRule({ title: "g", why: "needs the operator's CLI, and the server is not one that the suite has started" }),
  ]);

/** The only failure is a known one. */
export const knownRun = (): Run => runWith([rule(), knownRule()]);

export const results = (): Result[] => [passedRun(), incompleteRun(), runWith([failedRule()])].map(resultOf);

export const killMatrix = (): MutantRow[] => [
  {
    name: "unbroken",
    broken: "nothing",
    outcome: "sound",
    seeds: { good: 1, of: 1 },
    faults: [],
    failed: [],
    run: { a: 1 },
    milliseconds: 5,
  },
  {
    name: "x-lost",
    broken: "x is <lost>",
    outcome: "killed",
    seeds: { good: 1, of: 1 },
    faults: [],
    failed: [{ family: "a", title: "t" }],
    run: { a: 1 },
    milliseconds: 5,
  },
  {
    name: "y-lost",
    broken: "y is lost",
    outcome: "survived",
    seeds: { good: 0, of: 1 },
    faults: ["a did not fail"],
    failed: [],
    run: { a: 1 },
    milliseconds: 5,
  },
];
