import type { Knex } from "knex";
import { expect, test } from "vitest";
import { type KeyWidget, overlayKeyStore } from "../../auth/overlay-keys.ts";
import { noteWidgetChange } from "../queue/overlay.ts";
import { connectPage, useOverlayFixture } from "../testing.ts";

const fixture = useOverlayFixture();

const week: KeyWidget = { kind: "top", parameters: { period: "week", title: "ดี & more" } };
const day: KeyWidget = { kind: "top", parameters: { period: "day" } };

/** A streamer with two keys, of which one has a widget. `reads`: how often widgets were read. */
async function setUp({ pollIntervalMs = 3_600_000 } = {}) {
  const { knex } = fixture;
  const keys = overlayKeyStore(knex, "namjai");
  const streamerId = await fixture.newStreamer();
  await keys.create(streamerId, "Top", week);
  await keys.create(streamerId, "OBS");
  const [top, obs] = await keys.list(streamerId);
  let reads = 0;
  const hub = () =>
    fixture.newHub({
      times: { pollIntervalMs },
      settingsOfKeys: (ids) => {
        reads += 1;
        return keys.settingsOf(ids);
      },
    });
  const alsoWrite = (trx: Knex) => noteWidgetChange(trx, streamerId);
  const change = (from: KeyWidget, to: KeyWidget) => keys.changeWidget(streamerId, top?.id ?? "", { from, to, alsoWrite });
  return { knex, streamerId, top: top?.id ?? "", obs: obs?.id ?? "", hub, change, reads: () => reads };
}

test("a page gets the settings of its own key's widget with the snapshot, and again when they change", async () => {
  const { knex, streamerId, top, obs, hub: newHub, change } = await setUp();
  const hub = newHub();
  const widget = await connectPage({ knex, hub, streamerId, keyId: top, player: "a" });
  const other = await connectPage({ knex, hub, streamerId, keyId: obs, player: "b", plays: false });
  const query = "title=%E0%B8%94%E0%B8%B5+%26+more&period=week"; // as jsonb orders them
  expect(await widget.nextOf("snapshot")).toMatchObject({ widget: { kind: "top", query } });
  expect(await other.nextOf("snapshot")).toMatchObject({ widget: null });
  expect(await change(week, day)).toBe(true);
  hub.changed(streamerId);
  expect(await widget.nextOf("settings")).toMatchObject({ paused: false, widget: { kind: "top", query: "period=day" } });
  expect(other.events.map(({ event }) => event)).not.toContain("settings");
});

test("a changed widget reaches the pages of another process whose notification was lost by the poll", async () => {
  const { knex, streamerId, top, hub, change } = await setUp({ pollIntervalMs: 20 });
  const page = await connectPage({ knex, hub: hub(), streamerId, keyId: top, plays: false });
  expect(await page.nextOf("snapshot")).toMatchObject({ widget: { kind: "top" } });
  await change(week, day);
  expect(await page.nextOf("settings")).toMatchObject({ widget: { query: "period=day" } });
});

test("widgets of keys are read when a key connects or a widget has changed, and not at the steps of the alert queue", async () => {
  const { knex, streamerId, top, hub: newHub, change, reads } = await setUp();
  const hub = newHub();
  const page = await connectPage({ knex, hub, streamerId, keyId: top });
  const { id } = await fixture.donate(streamerId).then(() => {
    hub.changed(streamerId);
    return page.nextOf("playback");
  });
  await page.started(id);
  await page.ended(id);
  const again = await connectPage({ knex, hub, streamerId, keyId: top, player: "b", plays: false });
  await again.nextOf("snapshot");
  expect(reads()).toBe(1);
  await change(week, day);
  hub.changed(streamerId);
  await expect.poll(reads).toBe(2);
});
