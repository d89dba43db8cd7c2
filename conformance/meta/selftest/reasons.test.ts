// Grouping of failed rules by their reason.

import { describe, expect, test } from "vitest";

import { noFailure, type ReadableExchange } from "../../suite/client/failure.ts";
import { groupsOf } from "../../suite/report/reasons.ts";
import type { Rule } from "../../suite/report/run.ts";

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
    failing("interface/message", `a refusal was expected (4xx; message: ${rule}), but the answer is 202 {"receipt":${receipt}}`, [
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
