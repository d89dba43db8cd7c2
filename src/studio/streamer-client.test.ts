import { expect, test } from "vitest";
import { loadContract } from "../http/contract/contract.ts";
import type { Handlers } from "../http/operations.ts";
import { makeLimits } from "../http/rate-limits/rate-limits.ts";
import { memoryBuckets } from "../http/rate-limits/token-bucket.ts";
import { streamerClient } from "./streamer-client.ts";

const contract = await loadContract();
const policies = ["read", "export", "failed"].map((name) => ({ name, quota: 2, window: 60, burst: 2 }));

/** A client whose operations all answer, and whose calls are noted with who called. */
function openClient() {
  const calls: unknown[] = [];
  const limits = makeLimits(
    policies,
    memoryBuckets(() => 0),
  );
  const handlerOf =
    (id: string) =>
    async (_: object, { streamerId, applicationId }: { streamerId: string; applicationId: string }) => {
      calls.push([id, streamerId, applicationId]);
      return { status: 200, body: {} };
    };
  const handlers = Object.fromEntries(contract.operations.map(({ id }) => [id, handlerOf(id)])) as unknown as Handlers;
  return { calls, limits, client: streamerClient({ contract, handlers, limits, studioApplication: async () => "studio's" }) };
}

const noApplication = "00000000-0000-0000-0000-000000000000";

test("reading pages of a streamer take tokens, and what is too much is refused as rate_limited and calls nothing", async () => {
  const { client, calls } = openClient();
  await client.callWithinLimit("s", "listDonations", { query: { limit: 20 } });
  await client.callWithinLimit("s", "listStreamingCategories");
  const wait = { extras: { headers: { "Retry-After": "30" } } };
  await expect(client.callWithinLimit("s", "listDonations")).rejects.toMatchObject({ code: "rate_limited", ...wait });
  await client.call("s", "listDonations");
  expect(calls).toEqual([
    ["listDonations", "s", noApplication],
    ["listStreamingCategories", "s", noApplication],
    ["listDonations", "s", noApplication],
  ]);
});

test("pages of other streamers, exports and the streamer's credentials have other buckets than a streamer's pages", async () => {
  const { client, calls, limits } = openClient();
  for (const id of ["listDonations", "exportDonations"] as const)
    for (const streamer of ["s", "t", "s", "t"]) await client.callWithinLimit(streamer, id);
  expect(calls).toHaveLength(8);
  await limits.spend("read", "a key of s", { streamerId: "s" });
});

test("a test alert is recorded in the name of the streamer's application studio, and a call for another application in the name of that one", async () => {
  const { client, calls } = openClient();
  await client.call("s", "sendTestAlert", { body: {} });
  await client.call("s", "listWebhooks", { as: { id: "bot's", scopes: [] } });
  expect(calls).toEqual([
    ["sendTestAlert", "s", "studio's"],
    ["listWebhooks", "s", "bot's"],
  ]);
});

test("a body that breaks the contract is refused with the faults that the caller found as well, and calls nothing", async () => {
  const { client, calls } = openClient();
  const faults = [{ pointer: "/voice", code: "invalid_enum", message: "must be a voice" }] as const;
  const refused = { code: "validation_failed", extras: { errors: [faults[0], { pointer: "/volume", code: "out_of_range" }] } };
  expect(() => client.check("updateAlertSettings", { body: { volume: 101 }, faults })).toThrow(
    expect.objectContaining({ code: "validation_failed" }),
  );
  await expect(client.call("s", "updateAlertSettings", { body: { volume: 101 }, faults })).rejects.toMatchObject(refused);
  expect(calls).toEqual([]);
});
