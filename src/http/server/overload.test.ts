import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { openAdmission } from "./overload.ts";
import { admissionOptions } from "./testing.ts";

let refused = 0;
const none = openAdmission({ ...admissionOptions, maxRequests: 0, minRequests: 0, onRefused: () => (refused += 1) });
const full = none.guard(async (_request, response) => {
  response.end("passed");
});
const server = createServer((incoming, response) => void full(incoming, response));

beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => void server.close());

async function get(path: string, method = "GET", headers: Record<string, string> = {}, from = server) {
  const { port } = from.address() as AddressInfo;
  const sent = request({ port, host: "127.0.0.1", path, method, headers, agent: false }).end();
  const [answer] = await once(sent, "response");
  return { status: answer.statusCode as number, headers: answer.headers, text: (await answer.toArray()).join("") as string };
}

test.each(["/api/v1/me", "/mcp", "/mcp?a=b", "/", "/mcpx", "/docs/mcp", "/livezz"])(
  "the path %s is refused under overload",
  async (path) => {
    const before = refused;
    const { status, headers, text } = await get(path);
    expect({ status, retry: headers["retry-after"], ...JSON.parse(text) }).toMatchObject({ status: 503, retry: "1", code: "unavailable" });
    expect(refused).toBe(before + 1);
  },
);

test.each(["/oauth/token", "/oauth/revoke?a"])("%s is refused under overload as RFC 6749 5.2 says", async (path) => {
  const { status, headers, text } = await get(path, "POST");
  expect({ status, retry: headers["retry-after"], ...JSON.parse(text) }).toMatchObject({
    ...{ status: 503, retry: "1", error: "temporarily_unavailable" },
    error_description: expect.any(String),
  });
});

test("a browser is shown a page when a page is refused under overload", async () => {
  const { status, headers, text } = await get("/oauth/login", "GET", { Accept: "text/html,*/*" });
  expect({ status, type: headers["content-type"], page: headers["x-page"], text }).toEqual({
    ...{ status: 503, type: "text/html; charset=utf-8", page: "yes", text: "<p>busy</p>" },
  });
});

test("a network has a part of the places for pages, and operations have places of their own", async () => {
  const waiting: (() => void)[] = [];
  const { guard } = openAdmission({
    ...{ ...admissionOptions, maxRequests: 3, minRequests: 3 },
    addressOf: ({ headers }) => String(headers["x-forwarded-for"]),
  });
  const listener = guard(async (_request, response) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    response.end("passed");
  });
  const busy = createServer((incoming, response) => void listener(incoming, response));
  await once(busy.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void busy.close());
  const from = async (address: string, path: string) => (await get(path, "GET", { "X-Forwarded-For": address }, busy)).status;
  const accepted = [from("10.0.0.1", "/"), from("10.0.0.1", "/docs/"), from("10.0.0.2", "/")];
  await expect.poll(() => waiting.length).toBe(3);
  accepted.push(from("10.0.0.1", "/api/v1/me"));
  await expect.poll(() => waiting.length).toBe(4);
  expect([await from("10.0.0.1", "/"), await from("10.0.0.3", "/")]).toEqual([503, 503]);
  for (const end of waiting) end();
  expect(await Promise.all(accepted)).toEqual([200, 200, 200, 200]);
});

test.each(["/livez", "/readyz?a"])("the path %s is accepted under overload", async (path) => {
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
