import { describe, expect, test } from "vitest";

import { limitOf } from "../command/limits.ts";
import { planOf } from "../command/plan.ts";
import type { Reply } from "../harness/client/http-client.ts";
import { secondsOf } from "../harness/client/rate-limit-patience.ts";
import { conformance } from "./command.ts";
import { type Answer, always, serving, sound } from "./fakes.ts";

const reply = (status: number, headers: Record<string, string> = {}): Reply => ({ status, headers, text: "", body: undefined });

test.each([
  ["nothing", reply(201), null],
  ["a policy", reply(201, { "ratelimit-policy": '"default";q=100;w=60' }), [100, 60, true]],
  [
    "the tightest of several policies",
    reply(201, { "ratelimit-policy": '"burst";q=10;w=1, "day, whole";q=1000;w=86400' }),
    [1000, 86_400, true],
  ],
  ["a policy as older drafts had it", reply(201, { "ratelimit-policy": "100;w=30" }), [100, 30, true]],
  ["a limit without a window", reply(201, { "x-ratelimit-limit": "30" }), [30, 60, true]],
  ["what is left", reply(201, { ratelimit: '"default";r=50;t=30' }), [50, 30, true]],
  ["a 429", reply(429, { "retry-after": "5" }), [1, 5, false]],
  ["a 429 without more", reply(429), [1, 1, false]],
] as const)("a limit is read from %s", (_, one, expected) => {
  const limit = limitOf([reply(200), one]);
  expect(limit && [limit.requests, limit.seconds, limit.said]).toEqual(expected);
});

test("Retry-After is seconds or a date", () => {
  expect(secondsOf("7")).toBe(7);
  expect(secondsOf(new Date(Date.now() + 9_000).toUTCString())).toBeCloseTo(9, -1);
  expect([secondsOf(undefined), secondsOf("soon")]).toEqual([null, null]);
});

describe("the plan", () => {
  const settings = { profile: "contract", depth: "full", minutes: 10 } as const;

  test("without a limit is everything, at any pace", () =>
    expect(planOf(settings, null)).toEqual({ sample: { values: 1, rules: 1, particular: 1 }, pace: null, words: [] }));

  test("with a wide limit is everything", () =>
    expect(planOf(settings, { requests: 6000, seconds: 60, said: true }).sample).toEqual({ values: 1, rules: 1, particular: 1 }));

  test("with a tight limit is a sample that fits into the time, and says so", () => {
    const { sample, pace, words } = planOf(settings, { requests: 60, seconds: 60, said: true });
    expect(pace).toBeLessThan(1);
    expect(sample.rules).toBeLessThan(0.2);
    expect(words.join("\n")).toMatch(/allows 60 requests in 60 s\n.*about 570 of the .*duration: 10 min\n.*one in \d+ of the rules/s);
  });
});

test("a server that limits the rate is asked no faster than it allows, and less", async () => {
  const times: number[] = [];
  let refused = 0;
  const limited: Answer = (request, response, body) => {
    const now = Date.now();
    const full = times.filter((time) => time > now - 1000).length >= 10;
    response.setHeader("RateLimit-Policy", '"default";q=10;w=1');
    if (full || times.length === 0) refused += 1;
    if (full || times.push(now) === 1) return always(429, "{}", { "Retry-After": "1" })(request, response, body);
    sound(request, response, body);
  };
  const url = await serving(limited);
  const words = ["--profile", "interface", "--minutes", "0.25", "--seed", "7", "--only", "/^interface.(amount|donator-name)$/"];
  const { output } = await conformance(["--url", url, ...words]);
  expect(output).toMatch(/the server allows 10 requests in 1 s/);
  expect(output).toMatch(/request budget: about 142 of the/);
  expect(output).toMatch(/left out, because the server limits the rate/);
  expect(output).toMatch(/[\d,]+ of [\d,]+ values tried/);
  expect(refused).toBeLessThan(5);
  expect(times.length).toBeGreaterThan(5);
});
