import { Writable } from "node:stream";
import type { Context } from "koa";
import { pino } from "pino";
import { expect, test } from "vitest";
import { logRequests } from "./request-log.ts";

// Request lines are written without looking for secrets: this list is why that may be. It grows by members that can't be one.
const members = ["level", "time", "requestId", "method", "path", "operation", "status", "ms"];

test("the log line of a request has a fixed set of members, whatever the request was", async () => {
  const lines: string[] = [];
  const into = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const ctx = {
    state: { requestId: "r-1", operation: { id: "getDonation", path: "/api/v1/donations/{donationId}" } },
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
  ["a health check", 503, "info", probe],
])("the line of a request for %s that is answered with %d has the level %s", async (_kind, status, level, state) => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line) => void lines.push(line) });
  const ctx = { state, method: "GET", status } as unknown as Context;
  await logRequests(log)(ctx, async () => {});
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([log.levels.values[level]]);
});
