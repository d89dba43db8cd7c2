import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";

import { openAdmission } from "./overload.ts";

let refused = 0;
const rest = { perSecond: 1_000, mostSeconds: 5, most: 1_000 };
const full = openAdmission({ most: 0, least: 0, rest, onRefused: () => (refused += 1) }).guard(async (_request, response) => {
  response.end("passed");
});
const server = createServer((incoming, response) => void full(incoming, response));

beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => void server.close());

async function ask(path: string, method = "GET", headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: "127.0.0.1", path, method, headers, agent: false }).end();
  const [answer] = await once(sent, "response");
  return { status: answer.statusCode as number, headers: answer.headers, text: (await answer.toArray()).join("") as string };
}

test.each(["/api/v1/me", "/mcp", "/mcp?a=b"])("%s is refused", async (path) => {
  const before = refused;
  const { status, headers, text } = await ask(path);
  expect({ status, retry: headers["retry-after"], ...JSON.parse(text) }).toMatchObject({ status: 503, retry: "1", code: "unavailable" });
  expect(refused).toBe(before + 1);
});

test.each(["/", "/livez", "/mcpx", "/docs/mcp", "/oauth/token"])("%s is let in", async (path) => {
  expect((await ask(path)).text).toBe("passed");
});

test("a preflight is let in: a browser that is refused it can't read why", async () => {
  expect((await ask("/api/v1/donations", "OPTIONS")).text).toBe("passed");
});

test("the instance is a URI reference (RFC 9457 3.1.5), and the request's id is echoed", async () => {
  const { headers, text } = await ask('/api/a"b\\<c>%20%zz?d', "GET", { "X-Request-Id": "mine" });
  expect(JSON.parse(text).instance).toBe("/api/a%22b%5C%3Cc%3E%20%25zz");
  expect(headers["x-request-id"]).toBe("mine");
});
