import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";

import { openAdmission } from "./overload.ts";

let refused = 0;
const pauseLimits = { perSecond: 1_000, maxSeconds: 5, maxConnections: 1_000 };
const full = openAdmission({ maxRequests: 0, minRequests: 0, pauseLimits, onRefused: () => (refused += 1) }).guard(
  async (_request, response) => {
    response.end("passed");
  },
);
const server = createServer((incoming, response) => void full(incoming, response));

beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => void server.close());

async function get(path: string, method = "GET", headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: "127.0.0.1", path, method, headers, agent: false }).end();
  const [answer] = await once(sent, "response");
  return { status: answer.statusCode as number, headers: answer.headers, text: (await answer.toArray()).join("") as string };
}

test.each(["/api/v1/me", "/mcp", "/mcp?a=b"])("the path %s is refused under overload", async (path) => {
  const before = refused;
  const { status, headers, text } = await get(path);
  expect({ status, retry: headers["retry-after"], ...JSON.parse(text) }).toMatchObject({ status: 503, retry: "1", code: "unavailable" });
  expect(refused).toBe(before + 1);
});

test.each(["/", "/livez", "/mcpx", "/docs/mcp", "/oauth/token"])("the path %s is accepted under overload", async (path) => {
  expect((await get(path)).text).toBe("passed");
});

test("a preflight is accepted under overload, because a browser cannot read the reason of its refusal", async () => {
  expect((await get("/api/v1/donations", "OPTIONS")).text).toBe("passed");
});

test("a refusal under overload has a URI reference as instance (RFC 9457 3.1.5) and echoes the request id", async () => {
  const { headers, text } = await get('/api/a"b\\<c>%20%zz?d', "GET", { "X-Request-Id": "mine" });
  expect(JSON.parse(text).instance).toBe("/api/a%22b%5C%3Cc%3E%20%25zz");
  expect(headers["x-request-id"]).toBe("mine");
});
