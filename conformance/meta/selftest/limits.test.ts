// Runs against servers that limit the request rate: reading the limit, planning, keeping the pace.

import { describe, expect, test } from "vitest";
import { secondsOf } from "../../suite/client/send-once.ts";
import { readSettings } from "../../suite/command/options.ts";
import { limitOf, planOf } from "../../suite/command/plan.ts";
import { selectedShares } from "../../suite/command/rule-files.ts";
import { isRepeatable, type Reply } from "../../suite/contract/http-request.ts";
import { readResult } from "../../suite/report/result.ts";
import { type Answer, always, conformance, foreign, rateLimited, serving, sound } from "./command.ts";

const reply = (status: number, headers: Record<string, string> = {}): Reply => ({ status, headers, text: "", body: undefined });

test.each([
  ["an answer without headers", reply(201), null],
  ["RateLimit-Policy", reply(201, { "ratelimit-policy": '"default";q=100;w=60' }), [100, 60, true]],
  [
    "the strictest of several policies",
    reply(201, { "ratelimit-policy": '"burst";q=10;w=1, "day, whole";q=1000;w=86400' }),
    [1000, 86_400, true],
  ],
  ["RateLimit-Policy in the form of older drafts", reply(201, { "ratelimit-policy": "100;w=30" }), [100, 30, true]],
  ["X-RateLimit-Limit, which has no window", reply(201, { "x-ratelimit-limit": "30" }), [30, 60, true]],
  ["RateLimit with the remaining requests", reply(201, { ratelimit: '"default";r=50;t=30' }), [50, 30, true]],
  ["a 429 with Retry-After", reply(429, { "retry-after": "5" }), [1, 5, false]],
  ["a 429 without Retry-After", reply(429), [1, 1, false]],
] as const)("a limit is read from %s", (_, one, expected) => {
  const limit = limitOf([reply(200), one]);
  expect(limit && [limit.requests, limit.seconds, limit.announced]).toEqual(expected);
});

test("Retry-After is read as seconds or as a date", () => {
  expect(secondsOf("7")).toBe(7);
  expect(secondsOf(new Date(Date.now() + 9_000).toUTCString())).toBeCloseTo(9, -1);
  expect([secondsOf(undefined), secondsOf("soon")]).toEqual([null, null]);
});

describe("the plan", () => {
  const settings = { depth: "full", only: null, minutes: 10, seconds: null } as const;
  const oneASecond = { requests: 60, seconds: 60, announced: true };

  /** The families that these options select, each with the share of its rules. */
  const sharesOf = (...words: string[]) => selectedShares(readSettings(words));

  /** The requests that a run with these options needs without limits. */
  async function neededBy(...words: string[]): Promise<number> {
    const { depth } = readSettings(words);
    const { notes } = planOf({ ...settings, depth, minutes: 0.01 }, oneASecond, await sharesOf(...words));
    return Number(/ of the ([\d,]+) that/.exec(notes.join("\n"))?.[1]?.replaceAll(",", ""));
  }

  const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

  test("a run without a rate limit is planned in full and without a pace", async () =>
    expect(planOf(settings, null, await sharesOf())).toEqual({
      sample: { values: 1, fewest: 5, rules: 1, particular: 1 },
      pace: null,
      notes: [],
    }));

  test("a run with a high rate limit is planned in full", async () =>
    expect(planOf(settings, { requests: 6000, seconds: 60, announced: true }, await sharesOf()).sample).toEqual({
      values: 1,
      fewest: 5,
      rules: 1,
      particular: 1,
    }));

  test("a run with a low rate limit is planned as a sample that fits into the time, and the notes say so", async () => {
    const { sample, pace, notes } = planOf(settings, oneASecond, await sharesOf());
    expect(pace).toBeLessThan(1);
    expect(sample.rules).toBeLessThan(0.2);
    expect(notes.join("\n")).toMatch(/allows 60 requests in 60 s\n.*about 570 of the .*duration: 10 min\n.*one in \d+ of the rules/s);
  });

  test("a quick run with a low rate limit is planned in full, and the notes say that its seconds end it", async () => {
    const limit = { requests: 600, seconds: 60, announced: true };
    const { sample, notes } = planOf({ ...settings, depth: "quick", seconds: 15 }, limit, await sharesOf());
    expect(sample.rules).toBe(1);
    expect(notes.join("\n")).toMatch(
      /^the server allows 600 .*\nrequest budget: what it allows in 15 s, of the [\d,]+ .*\(--seconds allows/,
    );
  });

  test("a quick run that repeats a seed chooses its rules for a minute of a low rate limit, and says what allows more", async () => {
    const { notes } = planOf({ ...settings, depth: "quick" }, oneASecond, await sharesOf());
    expect(notes.join("\n")).toMatch(/about 57 of the .*duration: 60 s\n.*one in \d+ of the rules.*\(--depth standard allows more time\)/s);
  });

  test("the notes name a large part of the rules in per cent", async () => {
    const { notes } = planOf(settings, { requests: 2700, seconds: 60, announced: true }, await sharesOf());
    expect(notes.at(-1)).toMatch(/^this run tries a sample: [5-9]\d % of the rules, one in \d+ of their values/);
  });

  test("a run of few rules that fit into the time is planned in full", async () => {
    const { sample, notes } = planOf(settings, oneASecond, await sharesOf("--only", "interface/skip-alert"));
    expect(sample).toEqual({ values: 1, fewest: 5, rules: 1, particular: 1 });
    expect(notes.join("\n")).toMatch(/about (\d+) of the \1 that/);
  });

  test("a quick run tries every rule of the files that --only names, and few of their values", () =>
    expect(planOf({ ...settings, depth: "quick", only: "create-alert" }, null, new Map()).sample).toEqual({
      values: 0.1,
      fewest: 5,
      rules: 1,
      particular: 1,
    }));

  test("shards are planned with as many requests in total as the whole run", async () => {
    const parts = await Promise.all(["1/4", "2/4", "3/4", "4/4"].map((shard) => neededBy("--shard", shard)));
    const whole = await neededBy();
    expect(Math.abs(sumOf(parts) - whole)).toBeLessThan(4); // each is rounded
    expect(Math.max(...parts)).toBeLessThan(whole / 2);
  });

  test("rule files chosen by --only are planned with as many requests in total as their shards, and as in any profile", async () => {
    const only = ["--only", "/^interface/"];
    const parts = await Promise.all(["1/2", "2/2"].map((shard) => neededBy(...only, "--shard", shard)));
    expect(Math.abs(sumOf(parts) - (await neededBy(...only)))).toBeLessThan(2);
    expect(await neededBy(...only)).toBe(await neededBy("--profile", "interface"));
  });

  test("a quick run of the contract is planned with a part of the contract's own rules alone", async () => {
    const [ofInterface, quick, full] = [
      await neededBy("--depth", "quick", "--profile", "interface"),
      await neededBy("--depth", "quick"),
      await neededBy(),
    ];
    expect(quick).toBeGreaterThan(ofInterface);
    expect(quick).toBeLessThan(full / 5);
  });
});

test.each(["full", "quick"])("a %s run is planned with about as many requests as it sends", async (depth) => {
  const words = ["--profile", "interface", "--depth", depth, "--seconds", "0", "--only", "/^interface.(amount|donation)$/"];
  const limited = await conformance([...words, "--minutes", "0.01"], await rateLimited());
  const planned = Number(/ of the ([\d,]+) that/.exec(limited.output)?.[1]?.replaceAll(",", ""));
  const { report } = await conformance(words, await foreign());
  const { counts } = readResult(report("result.yaml"), "result.yaml");
  expect(Math.abs(planned / counts.requests - 1)).toBeLessThan(0.2);
});

test("a server with a rate limit gets requests no faster than it allows, and a sample of the values", async () => {
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
  const words = ["--profile", "interface", "--minutes", "0.1", "--seed", "9", "--only", "/^interface.(amount|currency)$/"];
  const { output } = await conformance(["--url", url, ...words]);
  expect(output).toMatch(/the server allows 10 requests in 1 s/);
  expect(output).toMatch(/request budget: about (\d+) of the/);
  expect(output).toMatch(/left out, because the server limits the rate/);
  expect(output).toMatch(/[\d,]+ of [\d,]+ values tried/);
  expect(output).toMatch(/[\d,]+ values of \d+ rules? were left out for want of time/);
  expect(refused).toBeLessThan(5);
  expect(times.length).toBeGreaterThan(5);
});

test("a server that announces a rate limit and how many requests it takes at once gets these without a pause", async () => {
  const times: number[] = [];
  const limited: Answer = (request, response, body) => {
    times.push(Date.now());
    response.setHeader("RateLimit-Policy", '"default";q=1;w=1');
    response.setHeader("RateLimit", `"default";r=${Math.max(0, 60 - times.length)};t=1`);
    sound(request, response, body);
  };
  const url = await serving(limited);
  const words = ["--profile", "interface", "--depth", "quick", "--seconds", "8", "--only", "/^interface.(amount|currency)$/"];
  const { output } = await conformance(["--url", url, ...words]);
  expect(output).toMatch(/the server allows 1 requests? in 1 s/);
  expect(times.length).toBeGreaterThan(40); // of the 60 - 20 that it takes at once, and then one a second
  expect(times.length).toBeLessThan(65);
});

test("a rule whose request the server's rate limit refuses to the end is not run, and no failure of the server", async () => {
  let answered = 0;
  const limited: Answer = (request, response, body) => {
    answered += 1;
    if (answered <= 20) sound(request, response, body);
    else always(429, "{}", { "Retry-After": "3600" })(request, response, body);
  };
  const words = ["--profile", "interface", "--only", "/^interface.(texts|published-contract)$/"];
  const { output, report } = await conformance(["--url", await serving(limited), ...words]);
  expect(output).not.toContain("FAILED");
  expect(output).toMatch(/for want of time within the server's rate limit \(\d+\)/);
  expect(report("events.ndjson")).toContain("the server's rate limit refused its request in every attempt");
});

test("a server of someone else that is busy at times is accused of nothing: what it answers with 503 and Retry-After is sent again", async () => {
  let answered = 0;
  const busy: Answer = (request, response, body) => {
    answered += 1;
    if (answered % 3 === 0) always(503, "{}", { "Retry-After": "0" })(request, response, body);
    else sound(request, response, body);
  };
  const words = ["--profile", "interface", "--only", "/^interface.skip-alert$/"];
  const { output } = await conformance(["--url", await serving(busy), ...words]);
  expect(output).toMatch(/13 rules:/);
  expect(output).not.toContain("answered 503");
});

test("a rule whose request is answered 503 with Retry-After in every attempt is not run, after at most four attempts", async () => {
  let donations = 0;
  const busy: Answer = (request, response, body) => {
    donations += request.method === "POST" ? 1 : 0;
    if (donations > 4) return always(503, "{}", { "Retry-After": "0" })(request, response, body);
    sound(request, response, body);
  };
  const words = ["--profile", "interface", "--only", "/^interface.skip-alert$/"];
  const { output } = await conformance(["--url", await serving(busy), ...words]);
  expect(output).not.toContain("FAILED");
  expect(output).toContain("the server was busy (503 with Retry-After) in every attempt (interface/skip-alert)");
  expect(donations).toBe(4 + 13 * 4);
});

test.each<[string, Parameters<typeof isRepeatable>[0], boolean]>([
  ["a read", { path: "/api/v1/donations" }, true],
  ["a donation", { method: "POST", path: "/api/v1/donations", body: "{}" }, true],
  ["a revocation", { method: "POST", path: "/oauth/revoke", body: "token=a" }, true],
  ["a wrong client", { method: "POST", path: "/oauth/token", body: '{"grant_type":"authorization_code"}' }, true],
  ["a code, which is good once", { method: "POST", path: "/oauth/token", body: '{"code":"a"}' }, false],
  ["a refresh token in a form", { method: "POST", path: "/oauth/token", body: "grant_type=refresh_token&refresh_token=a" }, false],
  ["a skipped alert", { method: "POST", path: "/api/v1/alerts/skip" }, false],
  ["a new webhook", { method: "POST", path: "/api/v1/webhooks", body: "{}" }, false],
  ["a new alert file", { method: "POST", path: "/api/v1/alert-files?name=a.wav", body: "RIFF" }, false],
])("after a 503, whether %s is sent again: %o %s", (_, request, expected) => expect(isRepeatable(request)).toBe(expected));
