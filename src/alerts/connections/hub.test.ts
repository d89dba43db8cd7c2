import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import { connectPage, noWidgets, useOverlayFixture } from "../testing.ts";
import type { Hub } from "./hub.ts";

const fixture = useOverlayFixture();

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

type Refusal = { code: string; before?: () => unknown; happens: () => unknown };

/** Expects a stream with this key to be refused with the code, because of what happens while its widgets are read; `before`: it opens. */
async function expectRefusedWhileOpening(scenario: Scenario, keyId: string, { code, before, happens }: Refusal): Promise<void> {
  const hasBegun = scenario.stopReading();
  await before?.();
  const opening = expect(open(scenario, keyId)).rejects.toMatchObject({ code });
  await hasBegun;
  await happens();
  scenario.continueReading();
  await opening;
}

const open = ({ hub, streamerId }: Scenario, keyId: string) => connectPage({ knex: fixture.knex, hub, streamerId, keyId });

test("a stream whose key is revoked while it opens is refused with token_revoked", async () => {
  const scenario = await openScenario();
  const keyId = uuidv7();
  await expectRefusedWhileOpening(scenario, keyId, { code: "token_revoked", happens: () => scenario.revoke(keyId) });
  expect(scenario.hub.connected()).toBe(0);
});

test("a stream whose key is revoked while it opens is refused with token_revoked, also beside a page with another key", async () => {
  const scenario = await openScenario();
  const page = await open(scenario, uuidv7());
  const keyId = uuidv7();
  const before = () => fixture.donate(scenario.streamerId); // the widgets have to be read again for the next page
  await expectRefusedWhileOpening(scenario, keyId, { code: "token_revoked", before, happens: () => scenario.revoke(keyId) });
  expect(scenario.hub.connected()).toBe(1);
  page.disconnect();
});

test("a stream that opens while the server stops is refused with unavailable", async () => {
  const scenario = await openScenario();
  await expectRefusedWhileOpening(scenario, uuidv7(), { code: "unavailable", happens: () => void scenario.hub.leave() });
  await scenario.hub.close();
});
