import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeVoider } from "../corrections/void-donations.ts";
import type { Hub } from "./connections/hub.ts";
import { connectPage, type Page, useOverlayFixture } from "./testing.ts";

// RACES=500 tries more often.
const races = Number(process.env.RACES ?? 60);

const fixture = useOverlayFixture();

type Race = { streamerId: string; hub: Hub; page: Page; delayMs: number };

test("a donation that is voided while its alert is taken in, handed out, started or shown is never shown afterwards", {
  timeout: 300_000 + races * 200,
}, async () => {
  const streamerId = await fixture.newStreamer();
  const hub = fixture.newHub();
  const page = await connectPage({ knex: fixture.knex, hub, streamerId });
  const outcomes: string[] = [];
  for (let index = 0; index < races; index += 1) outcomes.push(await race({ streamerId, hub, page, delayMs: (index % 32) * 3 }));
  expect(new Set(outcomes)).toEqual(new Set(["skipped", "shown"])); // both sides win some races
  console.info(
    `${races} races:`,
    Object.entries(Object.groupBy(outcomes, (outcome) => outcome)).map(([name, all]) => `${name} ${all?.length}`),
  );
});

/** Resolves to what became of the alert. */
async function race({ streamerId, hub, page, delayMs }: Race): Promise<string> {
  const voider = makeVoider(fixture.knex, hub.changed);
  const id = await fixture.donate(streamerId);
  const first = page.events.length;
  const given = () =>
    page.events.slice(first).flatMap((one) => (one.event === "playback" && one.data.donationId === id ? [one.data.id] : []));
  let isVoid = false;
  const voiding = sleep(delayMs)
    .then(() => voider.void(streamerId, [id], { reason: "fraud", note: null }))
    .then(([donation]) => {
      isVoid = true;
      return donation;
    });
  hub.changed(streamerId);
  const late: unknown[] = [];
  for (const step of ["started", "ended"] as const) {
    while (given().length === 0 && !isVoid) await sleep(1);
    for (const playbackId of given()) {
      const wasVoid = isVoid;
      const answer = await page[step](playbackId);
      if (wasVoid && answer !== "conflict") late.push([step, answer]);
    }
  }
  const donation = await voiding;
  if (donation?.alert.status === "skipped") expect(late).toEqual([]);
  await expectQuiet(page, first, id);
  const alert = await fixture.alertOf(id);
  expect(alert?.status).toBe(donation?.alert.status); // whatever it was when the donation was voided, it stays
  return donation?.alert.status ?? "";
}

/** The page has nothing of this donation on screen, and gets nothing of it any more. */
async function expectQuiet(page: Page, first: number, donationId: string): Promise<void> {
  const onScreen = () => {
    const events = page.events.slice(first);
    const started = events.flatMap((one) => (one.event === "playback" && one.data.donationId === donationId ? [one.data.id] : []));
    const stopped = events.flatMap((one) => (one.event === "stop" ? [one.data.playbackId] : []));
    return started.filter((id) => !stopped.includes(id));
  };
  const deadline = performance.now() + 2_000;
  while (onScreen().length > 0 && performance.now() < deadline) await sleep(2);
  const alert = await fixture.alertOf(donationId);
  if (alert?.status === "skipped") expect(onScreen()).toEqual([]);
}
