import { afterAll, beforeAll, expect, test } from "vitest";
import { connectPage, type OverlayFixture, openOverlayFixture } from "../testing.ts";

let fixture: OverlayFixture;

beforeAll(async () => {
  fixture = await openOverlayFixture();
});
afterAll(() => fixture.close());

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
