import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { getSpeech } from "./handlers.ts";

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
