// What a run prints: its progress, why rules failed, the exchange that broke a rule, and bytes in a shell.

import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { Comparison } from "../../suite/client/check-answer.ts";
import { decisiveOf, noFailure, type ReadableExchange } from "../../suite/client/failure.ts";
import { type Exchange, fitsInWord, printing, traceOf } from "../../suite/client/trace.ts";
import { summaryOf } from "../../suite/report/failure.ts";
import { groupsOf } from "../../suite/report/headline.ts";
import type { Rule } from "../../suite/report/run.ts";
import { progress } from "../../suite/report/terminal.ts";
import { failedRule, knownRule, rule, skippedRule } from "./runs.ts";

const wipe = "\r\x1b[2K";

/** Listens to a run, on a terminal of so many columns or, with null, in a pipe. `written` returns what was written since it was last called. */
function listening(columns: number | null) {
  const texts: string[] = [];
  const out = { isTTY: columns !== null, columns: columns ?? 0, write: (text: string) => texts.push(text) > 0 };
  return { listener: progress(out as Parameters<typeof progress>[0]), written: () => texts.splice(0).join("") };
}

test("on a terminal the last line names the rule files that are running, and how many of their rules are done", () => {
  const { listener, written } = listening(80);
  listener.familyStarts("amount", 2);
  expect(written()).toBe(`${wipe}  … amount`);
  listener.familyStarts("message", 3);
  listener.rule(rule({ family: "amount" }));
  expect(written()).toContain(`${wipe}  … amount 1/2  message 0/3`);
  listener.rule(rule({ family: "message" }));
  expect(written()).toBe(`${wipe}  … amount 1/2  message 1/3`);
});

test("on a terminal a rule file that has ended takes the place of the last line and is named there no more", () => {
  const { listener, written } = listening(80);
  for (const family of ["amount", "message"]) listener.familyStarts(family, 1);
  listener.rule(rule({ family: "amount" }));
  written();
  listener.familyEnds("amount", 1_500);
  expect(written()).toMatch(/^\r\x1b\[2K {2}\S*✓\S* amount +1 rule +30 tried +1\.5 s\n$/);
  listener.rule(rule({ family: "message" }));
  expect(written()).toBe(`${wipe}  … message 1/1`);
});

test("on a terminal the last line is never wider than the terminal, where it could not be wiped", () => {
  const { listener, written } = listening(20);
  listener.familyStarts("a family 🐈 with a long name", 1);
  expect([...written().replace(wipe, "")]).toHaveLength(19);
});

test("an error outside of the rules has a line of its own", () => {
  const { listener, written } = listening(80);
  listener.familyStarts("amount", 1);
  written();
  listener.error("the server is gone");
  expect(written()).toMatch(/^\r\x1b\[2K\S* {2}✗ the server is gone\S*\n$/);
});

test("a pipe gets a line for each rule file that has ended, with what failed, is known and was not run, and no control character", () => {
  const { listener, written } = listening(null);
  listener.familyStarts("amount", 4);
  for (const one of [rule(), failedRule(), knownRule(), skippedRule()]) listener.rule({ ...one, family: "amount" });
  listener.familyEnds("amount", 40);
  listener.familyStarts("empty", 0);
  listener.familyEnds("empty", 0);
  expect(written()).toMatch(/^ {2}✗ amount +4 rules +44 tried +0\.0 s {2}1 failed {2}1 known {2}1 not run\n$/);
});

const exchange = (status: number, body = "{}", asked = "POST /api/v1/donations"): ReadableExchange => ({
  curl: "curl",
  operation: asked,
  status,
  decisive: true,
  headers: [],
  body,
});

const failing = (family: string, reason: string, exchanges: ReadableExchange[]): Rule => ({
  family,
  title: `a rule of ${family}`,
  offline: false,
  state: "failed",
  why: null,
  required: true,
  milliseconds: 1,
  tried: {},
  chosenFrom: [],
  leftOut: 0,
  leftOutForTime: 0,
  edges: {},
  requests: 1,
  operations: [],
  digest: "0",
  failure: { ...noFailure, reason, message: reason, exchanges },
});

const several = (count: number, make: (index: number) => Rule): Rule[] => Array.from({ length: count }, (_, index) => make(index));

const groups = (rules: Rule[]): [string, number][] => groupsOf(rules).map(({ reason, rules: some }) => [reason, some.length]);

describe("one group", () => {
  test("rules that failed on the same server error are one group, whatever each expected", () =>
    expect(
      groups(several(128, (index) => failing(`f${index}`, `expected 500 to be ${index}`, [exchange(500, '{"code":"internal_error"}')]))),
    ).toEqual([["POST /api/v1/donations was answered 500 internal_error", 128]]));

  test("rules that failed on the same deviation of an answer are one group, for any operation and position in a list", () => {
    const places = ["/data", "/data/0", "/data/17"];
    const reason = (place: string): string =>
      `GET /x was answered as the contract does not say: 200 {}\n  body: ${place} must have required property 'note'`;
    expect(groups(several(9, (index) => failing(`f${index}`, reason(places[index % 3] ?? ""), [exchange(200)])))).toEqual([
      ["was answered as the contract does not say: body: /data must have required property 'note'", 9],
    ]);
  });

  test("rules whose messages differ in ids, keys and times alone are one group", () => {
    const reason = (index: number): string =>
      `no donation 01932f6e-8a00-7000-8000-00000000000${index} of conformance:abc${index}:def:00000${index} at 2026-01-0${index + 1}T00:00:00.000Z`;
    expect(groups(several(3, (index) => failing("f", reason(index), [exchange(200)])))).toEqual([
      ["no donation <id> of <key> at <time> (POST /api/v1/donations → 200)", 3],
    ]);
  });
});

describe("wrong acceptances", () => {
  const accepted = (rule: string, receipt: number) =>
    failing("interface/texts", `a refusal was expected (4xx; message: ${rule}), but the answer is 202 {"receipt":${receipt}}`, [
      exchange(202),
    ]);

  test("wrong acceptances of what breaks one rule are one group, whatever the server answered", () =>
    expect(groups(several(27, (index) => accepted("the text is not too long", index)))).toEqual([
      ["a refusal was expected (4xx; message: the text is not too long) (POST /api/v1/donations accepted it)", 27],
    ]));

  test("wrong acceptances of what breaks different rules are not one group", () =>
    expect(
      groups(several(6, (index) => accepted(index % 2 === 0 ? "the text is not too long" : "the member has its type", index))),
    ).toHaveLength(2));
});

describe("several groups", () => {
  test("failed rules whose answers differ in their status are not grouped", () =>
    expect(groupsOf(several(4, (index) => failing("f", "expected a to be b", [exchange(200 + index)])))).toHaveLength(4));

  test("two failed rules with the same message are not grouped, since that may be chance", () =>
    expect(groupsOf(several(2, () => failing("f", "expected 200 to be 201", [exchange(200)])))).toHaveLength(2));

  test("failed rules that sent no request and differ in their messages are not grouped", () =>
    expect(groupsOf(several(5, (index) => failing("coverage", `write its rules in file ${index}`, [])))).toHaveLength(5));
});

test("faults of the published contract are shown first, then the largest group", () => {
  const crashes = several(5, () => failing("create-donation", "expected 500 to be 201", [exchange(500)]));
  const contract = failing("interface/published-contract", "donatorName has another bound", []);
  const single = failing("get-me", "expected 1 to be 2", [exchange(200, "{}", "GET /api/v1/me")]);
  expect(groupsOf([single, ...crashes, contract]).map(({ rules: [{ family }, ...others] }) => [family, others.length])).toEqual([
    ["interface/published-contract", 0],
    ["create-donation", 4],
    ["get-me", 0],
  ]);
});

const exchangeOf = (method: string, path: string, status: number, text = "{}"): Exchange => ({
  request: { method, path },
  reply: { status, headers: {}, text, body: undefined },
});

const create = exchangeOf("POST", "/api/v1/donations", 201, '{"data":{"id":"1","donatorName":"Malee"}}');

const read = exchangeOf("GET", "/api/v1/donations/1", 404, '{"code":"donation_not_found","title":"There is no such donation"}');

const revoke = exchangeOf("POST", "/oauth/revoke", 404);

const madeUp = exchangeOf("POST", "/oauth/revoke-that-does-not-exist", 404);

const busy = exchangeOf("GET", "/api/v1/alerts", 503);

const unanswered: Exchange = { request: { method: "GET", path: "/api/v1/me" }, reply: null };

const page = (last: string) => exchangeOf("GET", `/api/v1/donations?cursor=${last}`, 200, `{"data":[${"1,".repeat(150)}${last}]}`);

test.each([
  ["that the message names by method and path, not a later one", "POST /oauth/revoke answers 404", [revoke, madeUp], revoke],
  ["whose answer the message quotes", `expected ${create.reply?.text} to have a message`, [create, read], create],
  [
    "whose whole answer the message quotes, not one that begins alike",
    `wrong: ${page("2").reply?.text}`,
    [page("2"), page("3")],
    page("2"),
  ],
  ["that was answered with the status of the failed comparison", "expected 201 to be 409", [create, busy, read], create],
  ["that was answered with the status of a failed comparison of lists", "expected [ 404, 'x' ] to deeply equal", [read, create], read],
  ["that the server failed on, where the message says nothing", "the rule took too long", [busy, create], busy],
  ["that was not answered, where the message says nothing", "the rule took too long", [unanswered, create], unanswered],
  ["that was sent last, where nothing else is known", "something is wrong", [create, read], read],
] as const)("the failing request of a rule is the one %s", (_, message, exchanges, decisive) =>
  expect(decisiveOf(message, exchanges)?.request).toEqual(decisive.request),
);

test("a summary names the first member that differs where the reason cuts off both sides", () => {
  const reason = "expected { id: 'mic', …(1) } to deeply equal { …(2) }";
  const [expected, actual] = ["main", "mic"].map((id) => JSON.stringify({ from: "2001-01-01", id }, null, 2)) as [string, string];
  const failed = (comparison: Comparison | null) => rule({ failure: { ...noFailure, message: "", reason, comparison } });
  expect(summaryOf(failed({ expected, actual }))).toBe(`${reason}: expected "id": "main", actual "id": "mic"`);
  expect(summaryOf(failed(null))).toBe(reason);
});

test.each<[string, (assertion: typeof expect) => void, string]>([
  ["must come", (assertion) => assertion("a").toBe("b"), "b"],
  ["must not come", (assertion) => assertion("a").not.toBe("a"), "anything but: a"],
  ["must not be equal", (assertion) => assertion("a").not.toEqual("a"), "anything but: a"],
  ["must not be contained", (assertion) => assertion("abc").not.toContain("b"), "anything but: b"],
])("the expected side of an assertion says what %s", (_, assert, expected) => {
  expect(traceOf(thrownBy(() => assert(expect))).comparison?.expected).toBe(expected);
});

function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
}

const print = (bytes: Buffer): Buffer => execFileSync("bash", ["-c", printing(bytes)], { maxBuffer: 2 ** 25 });

test.each<[string, Buffer]>([
  ["every byte", Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256))],
  ["digits behind a NUL", Buffer.from("\x001\0%s\\'9")],
  ["10 MiB of one byte between others", Buffer.concat([Buffer.from("RIFF\0"), Buffer.alloc(10_485_760), Buffer.from("'end'")])],
  ["a long run of a byte that a shell reads", Buffer.from(`{"a":"${"'".repeat(5_000)}"}`)],
])("bash prints %s as they are", (_, bytes) => {
  expect(print(bytes).equals(bytes)).toBe(true);
});

test("10 MiB of padding are a short command", () => {
  expect(printing(Buffer.alloc(10_485_760, " ")).length).toBeLessThan(100);
});

test("a NUL and more than Linux passes to a program fit in no word", () => {
  expect([Buffer.from("{}"), Buffer.from("a\0b"), Buffer.alloc(200_000, "x")].map(fitsInWord)).toEqual([true, false, false]);
});
