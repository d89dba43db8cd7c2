import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { saveSettings } from "./queue/controls.ts";
import type { Page } from "./testing.ts";
import { connect, disconnect, donate, passTime, startHub, startWithPage, usePlayerScenario } from "./testing-players.ts";

const scenario = usePlayerScenario();

const change = (settings: Parameters<typeof saveSettings>[2]) => saveSettings(scenario.fixture.knex, scenario.streamerId, settings);

async function playNext(page: Page): Promise<void> {
  const { id } = await page.nextOf("playback");
  await page.started(id);
  await page.ended(id);
}

const playbacks = (page: Page) => page.events.filter(({ event }) => event === "playback").length;

test("the next alert starts pauseSeconds after the end of the one before, and not earlier", async () => {
  const page = await startWithPage(scenario);
  await change({ pauseSeconds: 3 });
  for (let i = 0; i < 2; i += 1) await donate(scenario);
  const { id } = await page.nextOf("playback");
  await page.started(id);
  const beforeEnd = performance.now();
  await page.ended(id);
  await sleep(700);
  expect(playbacks(page)).toBe(1);
  await page.nextOf("playback");
  expect(performance.now() - beforeEnd).toBeGreaterThan(2_990);
});

test("the pause before the next alert has ended when nothing was on screen for that long", async () => {
  const page = await startWithPage(scenario);
  await change({ pauseSeconds: 60 });
  await donate(scenario);
  await playNext(page);
  await passTime(scenario, 60_001);
  await donate(scenario);
  await playNext(page);
});

test("a page that comes back, and a second process, keep to the pause before the next alert", async () => {
  const page = await startWithPage(scenario);
  await change({ pauseSeconds: 60 });
  for (let i = 0; i < 2; i += 1) await donate(scenario);
  await playNext(page);
  await disconnect(scenario, page);
  const second = { ...scenario, hub: scenario.fixture.newHub() };
  const again = await connect(second, { player: "other" });
  expect((await again.nextOf("snapshot")).playback).toBeNull();
  await passTime(second, 30_000); // a busy machine may take some of the time that is left
  await sleep(200);
  expect(playbacks(again)).toBe(0);
  await passTime(second, 30_000);
  await again.nextOf("playback");
});

test("a clock that is set back by an hour does not keep the next alert waiting", async () => {
  const page = await startWithPage(scenario);
  await change({ pauseSeconds: 1 });
  for (let i = 0; i < 2; i += 1) await donate(scenario);
  await playNext(page);
  await passTime(scenario, -3_600_000);
  await page.nextOf("playback");
});

test("alerts are faster while fasterFrom of them wait behind, whether they have a playback or not, and are not afterwards", async () => {
  await startHub(scenario);
  await change({ fasterFrom: 5 });
  for (let i = 0; i < 7; i += 1) await donate(scenario);
  const page = await connect(scenario);
  const first = (await page.nextOf("snapshot")).playback;
  const faster: (boolean | undefined)[] = [];
  for (let next = first; faster.push(next?.faster) < 7; next = await page.nextOf("playback")) await page.ended(next?.id ?? "");
  expect(faster).toEqual([true, true, false, false, false, false, false]);
});
