import { expect, test } from "vitest";
import { connectPage, useOverlayFixture } from "../testing.ts";
import { saveSettings } from "./controls.ts";
import { replay } from "./intake.ts";

const fixture = useOverlayFixture();

async function prepare(spoken: unknown[] = []) {
  const streamerId = await fixture.newStreamer();
  const speech = {
    prepare: async (_: string, donation: unknown) => {
      spoken.push(donation);
      return null;
    },
    read: async () => null,
  };
  const hub = fixture.newHub({ speech });
  const set = (...variations: { name: string; from: number; speak?: boolean; voice?: string }[]) =>
    saveSettings(fixture.knex, streamerId, { variations });
  const open = (player = "p") => connectPage({ knex: fixture.knex, hub, streamerId, player });
  return { streamerId, hub, set, open };
}

test("a variation is chosen when the alert is queued: neither a change of the settings nor a crash of the page changes it", async () => {
  const { streamerId, hub, set, open } = await prepare();
  await set({ name: "big", from: 100 });
  const page = await open();
  await page.nextOf("snapshot");
  await fixture.donate(streamerId, { amount: 150 });
  hub.changed(streamerId);
  expect((await page.nextOf("playback")).variation?.name).toBe("big");
  await set({ name: "other", from: 0 });
  page.disconnect();
  await page.closed;
  const again = await open();
  expect((await again.nextOf("snapshot")).playback?.variation?.name).toBe("big");
});

test("a replay has the variation of the playback before, also when that was the default look", async () => {
  const { streamerId, hub, set, open } = await prepare();
  const page = await open();
  await page.nextOf("snapshot");
  const plain = await fixture.donate(streamerId, { amount: 10 });
  hub.changed(streamerId);
  const shown = await page.nextOf("playback");
  expect(shown.variation).toBeNull();
  await page.started(shown.id);
  await page.ended(shown.id);
  await set({ name: "new", from: 0 });
  await replay(fixture.stepDeps, streamerId, plain);
  hub.changed(streamerId);
  expect(await page.nextOf("playback")).toMatchObject({ replay: true, variation: null });
});

test("a stored variation is completed with the members that the contract has gained since, for the player and in a replay", async () => {
  const { streamerId, hub, set, open } = await prepare();
  await set({ name: "big", from: 100 });
  const page = await open();
  await page.nextOf("snapshot");
  const donationId = await fixture.donate(streamerId, { amount: 150 });
  hub.changed(streamerId);
  const { id, variation } = await page.nextOf("playback");
  const storeOlder = () =>
    fixture.knex.raw("update playbacks set variation = variation - 'confetti' #- '{style,leave}' where streamer_id = ?", [streamerId]);
  await storeOlder();
  page.disconnect();
  await page.closed;
  const again = await open();
  expect((await again.nextOf("snapshot")).playback?.variation).toEqual(variation);
  await again.started(id);
  await again.ended(id);
  await storeOlder();
  await replay(fixture.stepDeps, streamerId, donationId);
  const { rows } = await fixture.knex.raw("select variation from playbacks where streamer_id = ? and replay", [streamerId]);
  expect(rows).toEqual([{ variation }]);
  hub.changed(streamerId);
  expect(await again.nextOf("playback")).toMatchObject({ replay: true, variation });
});

test("speech has the voice of the settings, unless the variation has one of its own", async () => {
  const spoken: unknown[] = [];
  const { streamerId, hub, open } = await prepare(spoken);
  const variations = [
    { name: "own voice", from: 100, voice: "malee" },
    { name: "no voice", from: 50 },
  ];
  await saveSettings(fixture.knex, streamerId, { voice: "somsri", variations });
  const page = await open();
  await page.nextOf("snapshot");
  for (const amount of [100, 50, 1]) await fixture.donate(streamerId, { amount });
  hub.changed(streamerId);
  await expect
    .poll(() => spoken)
    .toMatchObject([
      { amount: 100, voice: "malee" },
      { amount: 50, voice: "somsri" },
      { amount: 1, voice: "somsri" },
    ]);
});

test("a variation that does not speak makes no speech, and the voice of another one reaches the engine", async () => {
  const spoken: unknown[] = [];
  const { streamerId, hub, set, open } = await prepare(spoken);
  await set({ name: "silent", from: 100, speak: false }, { name: "own voice", from: 50, voice: "malee" });
  const page = await open();
  await page.nextOf("snapshot");
  for (const amount of [100, 50, 1]) await fixture.donate(streamerId, { amount });
  hub.changed(streamerId);
  const playing = await page.nextOf("playback");
  expect(playing.variation?.name).toBe("silent");
  await expect
    .poll(() => spoken)
    .toMatchObject([
      { amount: 50, voice: "malee" },
      { amount: 1, voice: null },
    ]);
});
