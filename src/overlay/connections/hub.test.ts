import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectPage, noWidgets, type OverlayFixture, openOverlayFixture } from "../testing.ts";
import type { Hub } from "./hub.ts";

let fixture: OverlayFixture;

beforeAll(async () => {
  fixture = await openOverlayFixture();
});
afterAll(() => fixture.close());

type Scenario = {
  hub: Hub;
  streamerId: string;
  revoke: (keyId: string) => Promise<void>;
  /** From now on readings of the widgets wait for `continueReading`. Resolves when one has begun. */
  stopReading: () => Promise<void>;
  continueReading: () => void;
};

/** A streamer on a hub whose keys can be revoked, and whose widgets take as long to read as the test wants. */
async function openScenario(): Promise<Scenario> {
  const revoked = new Set<string>();
  let reading: Promise<void> = Promise.resolve();
  let hasBegun = () => {};
  let continueReading = () => {};
  const hub = fixture.newHub({
    revokedAmong: async (ids) => ids.filter((id) => revoked.has(id)),
    readWidgets: async () => {
      hasBegun();
      await reading;
      return { widgets: { ...noWidgets }, validUntil: Number.POSITIVE_INFINITY };
    },
  });
  return {
    hub,
    streamerId: await fixture.newStreamer(),
    revoke: async (keyId) => {
      revoked.add(keyId);
      await hub.closeRevoked();
    },
    stopReading: () => {
      reading = new Promise((resolve) => {
        continueReading = resolve;
      });
      return new Promise((resolve) => {
        hasBegun = resolve;
      });
    },
    continueReading: () => continueReading(),
  };
}

const open = ({ hub, streamerId }: Scenario, keyId: string) => connectPage({ knex: fixture.knex, hub, streamerId, keyId });

test("a stream whose key is revoked while it opens is refused with token_revoked", async () => {
  const scenario = await openScenario();
  const keyId = uuidv7();
  const hasBegun = scenario.stopReading();
  const opening = expect(open(scenario, keyId)).rejects.toMatchObject({ code: "token_revoked" });
  await hasBegun;
  await scenario.revoke(keyId);
  scenario.continueReading();
  await opening;
  expect(scenario.hub.connected()).toBe(0);
});

test("a stream whose key is revoked while it opens is refused with token_revoked, also beside a page with another key", async () => {
  const scenario = await openScenario();
  const page = await open(scenario, uuidv7());
  const keyId = uuidv7();
  const hasBegun = scenario.stopReading();
  await fixture.donate(scenario.streamerId); // the widgets have to be read again for the next page
  const opening = expect(open(scenario, keyId)).rejects.toMatchObject({ code: "token_revoked" });
  await hasBegun;
  await scenario.revoke(keyId);
  scenario.continueReading();
  await opening;
  expect(scenario.hub.connected()).toBe(1);
  page.disconnect();
});

test("a stream that opens while the server stops is refused with unavailable", async () => {
  const scenario = await openScenario();
  const hasBegun = scenario.stopReading();
  const opening = expect(open(scenario, uuidv7())).rejects.toMatchObject({ code: "unavailable" });
  await hasBegun;
  scenario.hub.leave();
  scenario.continueReading();
  await opening;
  await scenario.hub.close();
});
