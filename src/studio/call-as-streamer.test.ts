import { expect, test } from "vitest";
import { memoryBuckets } from "../http/rate-limits/memory-buckets.ts";
import { makeLimits } from "../http/rate-limits/rate-limits.ts";
import { type CallAsStreamer, withinLimits } from "./call-as-streamer.ts";

const policies = ["read", "export", "failed"].map((name) => ({ name, quota: 2, window: 60, burst: 2 }));

function limited() {
  const calls: unknown[] = [];
  const limits = makeLimits(
    policies,
    memoryBuckets(() => 0),
  );
  const spend = (id: string, key: string) => limits.spend(id === "exportDonations" ? "export" : "read", key);
  const answer = async (...call: unknown[]) => void calls.push(call);
  return { calls, limits, as: withinLimits(answer as unknown as CallAsStreamer, spend) };
}

test("reading pages of a streamer take tokens, and what is too much is refused as rate_limited and calls nothing", async () => {
  const { as, calls } = limited();
  await as("s", "listDonations", { query: { limit: 20 } });
  await as("s", "getDonationStats");
  const wait = { extras: { headers: { "Retry-After": "30" } } };
  await expect(as("s", "listDonations")).rejects.toMatchObject({ code: "rate_limited", ...wait });
  expect(calls).toEqual([
    ["s", "listDonations", { query: { limit: 20 } }],
    ["s", "getDonationStats"],
  ]);
});

test("pages of other streamers, exports and the streamer's credentials have other buckets than a streamer's pages", async () => {
  const { as, calls, limits } = limited();
  for (const id of ["listDonations", "exportDonations"] as const) for (const streamer of ["s", "t", "s", "t"]) await as(streamer, id);
  expect(calls).toHaveLength(8);
  await limits.spend("read", "a key of s", { streamerId: "s" });
});
