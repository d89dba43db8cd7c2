import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { afterAll, expect, test } from "vitest";
import { bodyReader, fileReader } from "../body/body.ts";
import { identify, renderProblems } from "../middleware.ts";
import type { Handlers } from "../operations.ts";
import { Problem, refusal } from "../problem.ts";
import { serveContract } from "../router.ts";
import { loadContract } from "./contract.ts";
import { deprecationHeaders, deprecationNote } from "./operation.ts";
import { readContract } from "./published.ts";

// The contract with one operation of it deprecated, served by the router with a handler that knows one donation.

const deprecation = { since: "2026-11-01", sunset: "2027-11-01", instead: "listDonations" };
const path = "/api/v1/donations/{donationId}";
const document = readContract();
Object.assign(document.paths[path].get, { deprecated: true, "x-deprecation": deprecation });

const handlers = {
  getDonation: async ({ path: { donationId } }: { path: { donationId: string } }) => {
    if (donationId === "known") return { status: 200, body: { data: {} } };
    if (donationId === "broken") throw new Error("a fault of ours");
    return refusal("donation_not_found", "There is no such donation.");
  },
  listDonations: async () => ({ status: 200, body: { data: [] } }),
} as unknown as Handlers;

const verify = async (header: string | undefined) => {
  if (!header) throw new Problem("missing_credentials", "Send a credential.");
  const scopes = header === "Bearer none" ? [] : ["read:donations" as const];
  return { streamerId: "s", applicationId: "a", scopes, credential: { kind: "api_key" as const, id: "k" } };
};
const authenticator = { recall: () => null, likelihood: () => "plausible" as const, verify };
const countPoints = () => 0;
const limits = { spend: () => ({}), admit: () => {}, failed: () => {} };
const readers = bodyReader((_ctx, _principal, read) => read());
const koa = new Koa()
  .use(identify())
  .use(renderProblems())
  .use(
    serveContract(
      { contract: await loadContract(document), handlers },
      { authenticator, overlayAuthenticator: authenticator, limits, countPoints, redeemTicket: async () => "" },
      { ...readers, readLargeBody: readers.readBody, readFile: fileReader((_ctx, _principal, read) => read()) },
    ),
  );
const server = createServer(koa.callback()).listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => server.close());

const send = (target: string, { method = "GET", credential = "Bearer read" }: { method?: string; credential?: string } = {}) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/donations${target}`, {
    method,
    headers: credential ? { Authorization: credential } : {},
  });
const said = ({ headers }: Response) => ["Deprecation", "Sunset", "Link"].map((name) => headers.get(name));

const all = [
  `@${Date.UTC(2026, 10, 1) / 1_000}`,
  "Mon, 01 Nov 2027 00:00:00 GMT",
  expect.stringMatching(/^<\/docs\/versions#.*rel="deprecation"/),
];
const cases: [status: number, ...Parameters<typeof send>][] = [
  [200, "/known"],
  [200, "/known", { method: "HEAD" }],
  [400, "/known?limit=1"],
  [401, "/known", { credential: "" }],
  [403, "/known", { credential: "Bearer none" }],
  [404, "/unknown"],
  [500, "/broken"],
];

test.each(cases)("an answer %i of a deprecated operation has Deprecation, Sunset and Link (%s)", async (status, ...request) => {
  const reply = await send(...request);
  expect([reply.status, ...said(reply)]).toEqual([status, ...all]);
});

test("answers of other operations, and of unknown paths, have no deprecation headers", async () => {
  for (const reply of [await send(""), await send("/known", { method: "PUT" }), await send("/known/more")])
    expect(said(reply), String(reply.status)).toEqual([null, null, null]);
});

test("scripts in a browser may read the deprecation headers", async () => {
  const { headers } = await send("/known");
  expect(headers.get("Access-Control-Expose-Headers")).toMatch(/, Deprecation, Sunset, Link$/);
});

test("an operation that is not deprecated has no deprecation headers", () => expect(deprecationHeaders(undefined)).toBeNull());

test("the note of a deprecated operation names both dates and its replacement", () => {
  expect(deprecationNote(deprecation)).toBe(
    "**Deprecated** since 2026-11-01; may be gone from 2027-11-01 on. Use `listDonations` instead.",
  );
  expect(deprecationNote({ since: "2026-11-01", sunset: "2027-11-01" })).not.toContain("instead");
});
