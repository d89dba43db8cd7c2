import { expect, test } from "vitest";
import type { Principal } from "../http/operations.ts";
import { lockOverlay } from "./queue/overlay.ts";
import { useOverlayFixture } from "./testing.ts";

const fixture = useOverlayFixture();

const principal = (streamerId: string): Principal => ({
  streamerId,
  applicationId: streamerId,
  scopes: [],
  credential: { kind: "api_key", id: "k" },
});

/** Locks the streamer's queue, as a long change of it does. Resolves to a function that ends it. */
function lockQueue(streamerId: string): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const change = fixture.knex.transaction(async (trx) => {
      await lockOverlay(trx, streamerId);
      await new Promise<void>((end) =>
        resolve(() => {
          end();
          return change;
        }),
      );
    });
    change.catch(reject);
  });
}

test("however many calls wait for the queue of one streamer, those about other streamers are answered", async () => {
  const { operations } = fixture.newOverlay();
  const [busy, other] = [await fixture.newStreamer(), await fixture.newStreamer()];
  const unlock = await lockQueue(busy);
  const calls = Array.from({ length: 6 }, () => operations.pauseAlerts({} as never, principal(busy)));
  const settled = Promise.allSettled(calls);
  try {
    expect(await operations.pauseAlerts({} as never, principal(other))).toMatchObject({ status: 200, body: { data: { paused: true } } });
  } finally {
    await unlock();
  }
  const [first] = await settled;
  expect(first).toMatchObject({ status: "fulfilled", value: { body: { data: { paused: true } } } });
});

test("however many calls wait for the queues of several streamers, a connection is left to players", async () => {
  const { operations } = fixture.newOverlay();
  const streamers = await Promise.all([1, 2, 3].map(() => fixture.newStreamer()));
  const unlocks = await Promise.all(streamers.map(lockQueue));
  const calls = streamers.flatMap((streamer) => [1, 2, 3].map(() => operations.pauseAlerts({} as never, principal(streamer))));
  const settled = Promise.allSettled(calls);
  const started = { path: { playbackId: "01932f6e-8a00-7000-8000-3f1e5a7c9b21" }, body: { player: "p" } };
  try {
    const answer = await operations.startPlayback(started as never, principal(await fixture.newStreamer()));
    expect(answer).toMatchObject({ refused: "alert_not_found" });
  } finally {
    await Promise.all(unlocks.map((unlock) => unlock()));
  }
  await settled;
});
