import type { Knex } from "knex";
import { expect, test } from "vitest";
import { connectPage, useOverlayFixture } from "../testing.ts";
import { defaultTimes } from "../timeouts.ts";
import { advance } from "./advance.ts";
import { type HeldLease, releaseLeases, renewLeases } from "./lease.ts";
import { readOverlay } from "./overlay.ts";

const fixture = useOverlayFixture();

/** A new streamer whose page holds the lease. */
async function holdLease(): Promise<HeldLease> {
  const streamerId = await fixture.newStreamer();
  const page = await connectPage({ knex: fixture.knex, hub: fixture.newHub(), streamerId });
  await page.nextOf("snapshot");
  return { streamerId, connectionId: (await leaseOf(streamerId)).connectionId ?? "" };
}

/** `leftMs`: until the lease ends. */
async function leaseOf(streamerId: string) {
  const overlay = await readOverlay(fixture.knex, streamerId);
  if (!overlay) throw new Error("the streamer must be there");
  return { ...overlay.lease, leftMs: (overlay.lease.until ?? 0) - overlay.now };
}

async function lockOverlay(streamerId: string): Promise<Knex.Transaction> {
  const transaction = await fixture.knex.transaction();
  await transaction.raw("select from overlays where streamer_id = ? for update", [streamerId]);
  return transaction;
}

/** A lease that does not end while a test runs. */
const longLease = { ...defaultTimes, leaseMs: 3_600_000 };

test("an overlay that is locked does not keep the leases of other streamers from being renewed", async () => {
  const [locked, free] = [await holdLease(), await holdLease()];
  const lock = await lockOverlay(locked.streamerId);
  try {
    await renewLeases(fixture.knex, [locked, free], longLease);
    expect((await leaseOf(free.streamerId)).leftMs).toBeGreaterThan(defaultTimes.leaseMs);
    expect((await leaseOf(locked.streamerId)).leftMs).toBeLessThanOrEqual(defaultTimes.leaseMs);
  } finally {
    await lock.rollback();
  }
  await renewLeases(fixture.knex, [locked, free], longLease);
  expect((await leaseOf(locked.streamerId)).leftMs).toBeGreaterThan(defaultTimes.leaseMs);
});

test("a lease that another connection has taken over is neither renewed nor released", async () => {
  const { streamerId, connectionId } = await holdLease();
  const earlier = { streamerId, connectionId: streamerId };
  await renewLeases(fixture.knex, [earlier], longLease);
  await releaseLeases(fixture.knex, [earlier]);
  const lease = await leaseOf(streamerId);
  expect(lease).toMatchObject({ connectionId });
  expect(lease.leftMs).toBeLessThanOrEqual(defaultTimes.leaseMs);
});

test("a step renews the lease of its own player when a renewal was missed", async () => {
  const { streamerId, connectionId } = await holdLease();
  await renewLeases(fixture.knex, [{ streamerId, connectionId }], { ...defaultTimes, leaseMs: 1_000 });
  const player = { connectionId, playerId: "p", isJoining: false, playing: null, isInObs: false, isActive: true };
  const deps = fixture.stepDeps;
  const { overlay } = await advance(deps, streamerId, { players: [player], departed: [] });
  expect((overlay.lease.until ?? 0) - overlay.now).toBe(defaultTimes.leaseMs);
});

test("an overlay that is locked while the server stops does not keep other leases from being released, and is released after the lock", async () => {
  const [locked, free] = [await holdLease(), await holdLease()];
  const lock = await lockOverlay(locked.streamerId);
  const releasing = releaseLeases(fixture.knex, [locked, free]);
  try {
    await expect.poll(async () => (await leaseOf(free.streamerId)).connectionId, { timeout: 60_000 }).toBeNull();
    expect(await leaseOf(locked.streamerId)).toMatchObject({ connectionId: locked.connectionId });
  } finally {
    await lock.rollback();
  }
  await releasing;
  expect(await leaseOf(locked.streamerId)).toMatchObject({ connectionId: null });
});

test("a standby page takes over when the lease of a player whose process was killed has ended, without any other change", async () => {
  const { knex } = fixture;
  const streamerId = await fixture.newStreamer();
  const pool = fixture.newPool();
  const killed = await connectPage({ knex, hub: fixture.newHub({ knex: pool }), streamerId, player: "first" });
  expect(await killed.nextOf("snapshot")).toMatchObject({ role: "player" });
  const page = await connectPage({ knex, hub: fixture.newHub({ times: { pollIntervalMs: 20 } }), streamerId, player: "second" });
  expect(await page.nextOf("snapshot")).toMatchObject({ role: "standby" });
  await pool.destroy();
  await fixture.age(streamerId, 9_000);
  expect(await page.nextOf("role")).toEqual({ role: "player" });
});
