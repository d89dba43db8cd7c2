import { Writable } from "node:stream";
import type { Context, Middleware } from "koa";
import { pino } from "pino";
import { expect, test } from "vitest";
import { noteSent } from "../db/failures.ts";
import { silent } from "../db/testing.ts";
import { asProblem, logRequests, skipPrefix } from "./middleware.ts";

async function passed(path: string): Promise<string[]> {
  const seen: string[] = [];
  const noting =
    (name: string): Middleware =>
    (_, next) => {
      seen.push(name);
      return next();
    };
  const last: Middleware = (ctx, next) => (ctx.path === "/page" ? void seen.push("page") : next());
  await skipPrefix("/api/", [noting("first"), noting("second"), last])({ path } as Context, async () => void seen.push("next"));
  return seen;
}

test("middleware runs in turn until one answers, and paths with the prefix skip all of it", async () => {
  expect(await passed("/other")).toEqual(["first", "second", "next"]);
  expect(await passed("/api/v1/me")).toEqual(["next"]);
  expect(await passed("/apis")).toEqual(["first", "second", "next"]);
  expect(await passed("/page")).toEqual(["first", "second", "page"]);
});

// Request lines are written without looking for secrets: this list is why that may be. It grows by members that can't be one.
const sender = ["address", "streamerId", "applicationId", "credentialId"];
const members = ["level", "time", "requestId", "method", "path", "operation", "status", "ms", ...sender];

test("the log line of a request has a fixed set of members, whatever the request was", async () => {
  const lines: string[] = [];
  const into = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const ctx = {
    state: {
      ...{ requestId: "r-1", operation: { id: "getDonation", path: "/api/v1/donations/{donationId}" } },
      principal: { streamerId: "s-1", applicationId: "a-1", scopes: ["secret"], credential: { kind: "api_key", id: "k-1" } },
    },
    ip: "192.0.2.1",
    method: "GET",
    path: "/api/v1/donations/secret",
    querystring: "token=secret",
    headers: { authorization: "Bearer secret", cookie: "session=secret" },
    request: { body: { password: "secret" } },
    status: 200,
  } as unknown as Context;
  const log = pino({ base: null, redact: ["*.password"] }, into);
  await logRequests(log)(ctx, async () => {});
  log.info({ given: { password: "secret" } });
  const [line, other] = lines.map((text) => JSON.parse(text));
  expect(Object.keys(line)).toEqual(members);
  expect(line).toMatchObject({ requestId: "r-1", path: "/api/v1/donations/{donationId}", operation: "getDonation", status: 200 });
  expect(line).toMatchObject({ address: "192.0.2.1", streamerId: "s-1", applicationId: "a-1", credentialId: "k-1" });
  expect(lines[0]).not.toContain("secret");
  expect(other).toMatchObject({ given: { password: "[Redacted]" } });
});

const file = { isFile: true, page: "/overlay/assets/overlay.js" };
const probe = { isProbe: true, endpoint: "/readyz" };

test.each([
  ["a fixed file", 200, "debug", file],
  ["a fixed file", 304, "debug", file],
  ["a fixed file", 404, "info", file],
  ["a health check", 200, "debug", probe],
  ["a health check", 503, "warn", probe],
  ["an operation that the server refuses on purpose", 503, "warn", { failure: null }],
  ["an operation whose database is away", 503, "error", { failure: new Error("away") }],
  ["an operation that fails", 500, "error", { failure: new Error("broken") }],
  ["an operation that fails without an error", 500, "error", {}],
  ["an operation that the client got wrong", 400, "info", { failure: null }],
])("the line of a request for %s that is answered with %d has the level %s", async (_kind, status, level, state) => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line) => void lines.push(line) });
  const ctx = { state, method: "GET", status } as unknown as Context;
  await logRequests(log)(ctx, async () => {});
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([log.levels.values[level]]);
});

/** Lines of these requests. Every second number that is drawn is too high. */
async function linesOf(sampleRate: number, requests: readonly (readonly [method: string, status: number, state?: object])[]) {
  const lines: string[] = [];
  const log = pino({ base: null, level: "debug" }, { write: (line) => void lines.push(line) });
  let draws = 0;
  const random = () => (draws++ % 2 === 0 ? sampleRate - 0.01 : sampleRate);
  for (const [method, status, state = {}] of requests) {
    await logRequests(log, { sampleRate, random })({ state, method, status } as unknown as Context, async () => {});
  }
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("LOG_SAMPLE_RATE is the share of successful reads that is logged, and each line has it", async () => {
  const lines = await linesOf(0.5, [
    ["GET", 200],
    ["GET", 304],
    ["HEAD", 200],
    ["GET", 302],
  ]);
  expect(lines.map(({ method, status, sampleRate }) => [method, status, sampleRate])).toEqual([
    ["GET", 200, 0.5],
    ["HEAD", 200, 0.5],
  ]);
});

test("failures, changes and lines of level debug are logged whatever the share, and without it", async () => {
  const lines = await linesOf(0, [
    ["GET", 404],
    ["GET", 503],
    ["POST", 201],
    ["DELETE", 204],
    ["GET", 200, probe],
  ]);
  expect(lines.map(({ method, status, sampleRate }) => [method, status, sampleRate])).toEqual([
    ["GET", 404, undefined],
    ["GET", 503, undefined],
    ["POST", 201, undefined],
    ["DELETE", 204, undefined],
    ["GET", 200, undefined],
  ]);
});

test("a request that failed has one line, with what is known of the error but no values of a statement", async () => {
  const failure = Object.assign(new Error("insert into donations values ($1) - could not extend file: No space left on device"), {
    code: "53100",
  });
  const lines = await linesOf(1, [["POST", 503, { failure }]]);
  expect(lines).toEqual([
    expect.objectContaining({
      level: 50,
      msg: "request failed",
      error: { name: "Error", code: "53100", message: "could not extend file: No space left on device" },
    }),
  ]);
});

const lost = () => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

test("a database that can't be reached is unavailable, and nothing was recorded", () => {
  expect(asProblem(lost(), "r1", silent)).toMatchObject({ code: "unavailable", message: expect.stringContaining("nothing was recorded") });
});

test.each(["55P03", "40P01"])(
  "locks of others (SQLSTATE %s) are unavailable for a moment, and no fault of the server in the log",
  (code) => {
    const error = Object.assign(new Error("canceling statement due to lock timeout"), { code });
    const logged: unknown[] = [];
    const log = { error: (line: unknown) => void logged.push(line) } as unknown as typeof silent;
    expect(asProblem(error, "r1", log)).toMatchObject({ code: "unavailable", message: expect.stringContaining("repeat it") });
    expect(logged).toEqual([]);
  },
);

test("a commit whose answer was lost is no 503, which would mean that nothing was recorded", () => {
  const error = lost();
  noteSent(error, "commit");
  expect(asProblem(error, "r1", silent)).toMatchObject({ code: "internal_error", message: expect.stringContaining("it is unknown") });
});

test("a read whose answer was lost is unavailable, although its statement had been sent", () => {
  const error = lost();
  noteSent(error, "statement");
  expect(asProblem(error, "r1", silent)).toMatchObject({ code: "unavailable" });
});
