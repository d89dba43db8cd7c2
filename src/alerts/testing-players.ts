// One streamer's players on one hub, for the tests of players.

import { expect } from "vitest";
import type { Hub } from "./connections/hub.ts";
import { settleAbandoned } from "./queue/advance.ts";
import { readQueue } from "./queue/read-queue.ts";
import { connectPage, type OverlayFixture, type Page, type PageOptions, useOverlayFixture } from "./testing.ts";
import type { Times } from "./timeouts.ts";

type PlayerScenario = {
  fixture: OverlayFixture;
  hub: Hub;
  streamerId: string;
};

/** Opens a fixture for the tests of this file. */
export function usePlayerScenario(): PlayerScenario {
  return { fixture: useOverlayFixture() } as PlayerScenario;
}

/** A new streamer on a new hub. */
export async function startHub(scenario: PlayerScenario, times: Partial<Times> = {}): Promise<void> {
  scenario.hub = scenario.fixture.newHub({ times });
  scenario.streamerId = await scenario.fixture.newStreamer();
}

/** A new streamer on a new hub, and a page that holds the lease. */
export async function startWithPage(scenario: PlayerScenario): Promise<Page> {
  await startHub(scenario);
  const page = await connect(scenario);
  await page.nextOf("snapshot");
  return page;
}

/** A page that shows a donation's alert. */
export async function startPlaying(scenario: PlayerScenario): Promise<{ page: Page; id: string }> {
  const page = await startWithPage(scenario);
  await donate(scenario);
  const { id } = await page.nextOf("playback");
  await page.started(id);
  return { page, id };
}

export function connect({ fixture, hub, streamerId }: PlayerScenario, options: Partial<PageOptions> = {}): Promise<Page> {
  return connectPage({ knex: fixture.knex, hub, streamerId, ...options });
}

/** Closes the page's connection, and waits until the queue has released its lease. */
export async function disconnect({ fixture, streamerId }: PlayerScenario, page: Page): Promise<void> {
  page.disconnect();
  await expect.poll(async () => (await readQueue(fixture.knex, streamerId)).connected).toBe(false);
}

export async function donate({ fixture, hub, streamerId }: PlayerScenario): Promise<string> {
  const id = await fixture.donate(streamerId);
  hub.changed(streamerId);
  return id;
}

export async function passTime({ fixture, hub, streamerId }: PlayerScenario, ms: number): Promise<void> {
  await fixture.age(streamerId, ms);
  hub.changed(streamerId);
}

/** What the interval task of any process does. Resolves to the streamers whose queues changed. */
export async function sweep({ fixture }: PlayerScenario): Promise<string[]> {
  const changed: string[] = [];
  await settleAbandoned(fixture.stepDeps, (streamerId) => changed.push(streamerId));
  return changed;
}
