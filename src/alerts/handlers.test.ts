import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import type { Principal } from "../http/operations.ts";
import { getSpeech } from "./handlers.ts";
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

const largest = 2_097_152;

/** Every streamer has every speech, each of 2 MiB. Notes each read. */
function serve() {
  const reads: string[] = [];
  const speech = {
    prepare: async () => null,
    read: async (id: string) => {
      reads.push(id);
      return { mime: "audio/wav", bytes: Buffer.alloc(largest) };
    },
  };
  const knex = { raw: async () => ({ rows: [{ owns: true }] }) } as unknown as Knex;
  const handler = getSpeech(knex, speech);
  const open = async (id: string): Promise<Readable> => {
    const answer = await handler(
      { path: { speechId: id } } as Parameters<typeof handler>[0],
      { streamerId: "s" } as Parameters<typeof handler>[1],
    );
    return (answer as { body: Readable }).body;
  };
  return { reads, open };
}

const idOf = (number: number) => number.toString(16).padStart(64, "0");

test("speech that is sent to two pages at once is in memory once, and is sent in chunks", async () => {
  const { reads, open } = serve();
  const bodies = [await open(idOf(1)), await open(idOf(1))];
  const chunks = await Promise.all(bodies.map(async (body) => (await once(body, "data"))[0] as Buffer));
  expect(reads).toEqual([idOf(1)]);
  expect(chunks[0]?.length).toBeLessThan(largest);
  expect(chunks[0]?.buffer).toBe(chunks[1]?.buffer);
  for (const body of bodies) body.destroy();
});

test("when speech that is being sent takes more than 64 MiB, the answers that began first end", async () => {
  const { open } = serve();
  const bodies: Readable[] = [];
  for (let number = 0; number <= 32; number += 1) bodies.push(await open(idOf(number)));
  expect(bodies.map(({ destroyed }) => destroyed)).toEqual([true, ...Array(32).fill(false)]);
  for (const body of bodies) body.destroy();
});
