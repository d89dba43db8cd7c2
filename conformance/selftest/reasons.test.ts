import { describe, expect, test } from "vitest";

import type { Shown } from "../harness/client/failure.ts";
import { groupsOf } from "../report/reasons.ts";
import type { Rule } from "../report/run.ts";

const exchange = (status: number, body = "{}", asked = "POST /api/v1/donations"): Shown => ({
  curl: "curl",
  asked,
  status,
  headers: [],
  body,
});

const failing = (family: string, reason: string, exchanges: Shown[]): Rule => ({
  family,
  title: `a rule of ${family}`,
  state: "failed",
  why: null,
  milliseconds: 1,
  tried: {},
  leftOut: 0,
  edges: {},
  requests: 1,
  digest: "0",
  failure: { reason, message: reason, value: null, shrinks: 0, seed: null, count: null, others: [], exchanges },
});

const several = (count: number, make: (index: number) => Rule): Rule[] => Array.from({ length: count }, (_, index) => make(index));
const seen = (rules: Rule[]): [string, number][] => groupsOf(rules).map(({ reason, rules: some }) => [reason, some.length]);

describe("rules that fail for one reason are one group", () => {
  test("a server error, whatever each rule expected", () =>
    expect(
      seen(several(128, (index) => failing(`f${index}`, `expected 500 to be ${index}`, [exchange(500, '{"code":"internal_error"}')]))),
    ).toEqual([["POST /api/v1/donations was answered 500 internal_error", 128]]));

  test("one fault of answers, whichever operation answers so, wherever in a list", () => {
    const places = ["/data", "/data/0", "/data/17"];
    const reason = (place: string): string =>
      `GET /x was answered as the contract does not say: 200 {}\n  body: ${place} must have required property 'note'`;
    expect(seen(several(9, (index) => failing(`f${index}`, reason(places[index % 3] ?? ""), [exchange(200)])))).toEqual([
      ["was answered as the contract does not say: body: /data must have required property 'note'", 9],
    ]);
  });

  test("one first message, but for ids, keys and times", () => {
    const reason = (index: number): string =>
      `no donation 01932f6e-8a00-7000-8000-00000000000${index} of conformance:abc${index}:def:00000${index} at 2026-01-0${index + 1}T00:00:00.000Z`;
    expect(seen(several(3, (index) => failing("f", reason(index), [exchange(200)])))).toEqual([
      ["no donation <id> of <key> at <time> (POST /api/v1/donations → 200)", 3],
    ]);
  });
});

describe("rules that fail for reasons of their own are shown one by one", () => {
  test("where the answers differ in their status", () =>
    expect(groupsOf(several(4, (index) => failing("f", "expected a to be b", [exchange(200 + index)])))).toHaveLength(4));

  test("where only two agree, which may be chance", () =>
    expect(groupsOf(several(2, () => failing("f", "expected 200 to be 201", [exchange(200)])))).toHaveLength(2));

  test("where no request was sent, and the messages differ", () =>
    expect(groupsOf(several(5, (index) => failing("coverage", `write its rules in file ${index}`, [])))).toHaveLength(5));
});

test("what the published contract has wrong stands first, then what most rules fail for", () => {
  const crashes = several(5, () => failing("create-donation", "expected 500 to be 201", [exchange(500)]));
  const contract = failing("interface/published-contract", "donatorName has another bound", []);
  const alone = failing("get-me", "expected 1 to be 2", [exchange(200, "{}", "GET /api/v1/me")]);
  expect(groupsOf([alone, ...crashes, contract]).map(({ rules: [{ family }, ...others] }) => [family, others.length])).toEqual([
    ["interface/published-contract", 0],
    ["create-donation", 4],
    ["get-me", 0],
  ]);
});
