import { afterEach, beforeEach, expect, test } from "vitest";
import { expectProblem, get, readDonation } from "../../suite/client/api.ts";
import { control, donate, freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, type Page } from "../../suite/client/overlay/overlay-page.ts";

// Every connected page shows every alert: one leads, the others follow it.

beforeEach(async (context) => {
  overlayKeyOf(context as never);
  await freshQueue();
});
afterEach(() => closePages());

/** A leading page and its followers, with an alert that the leading page has started. */
async function startFollowed(followers = 1): Promise<{ leader: Page; others: Page[]; id: string; donationId: string }> {
  const leader = await follow();
  await leader.next("snapshot");
  const others = await Promise.all(Array.from({ length: followers }, () => follow()));
  for (const other of others) expect((await other.next("snapshot")).role).toBe("standby");
  await donate();
  const { id, donationId, elapsedMs } = await leader.next("playback");
  expect(elapsedMs).toBeNull();
  for (const other of others) expect(await other.next("playback")).toMatchObject({ id, elapsedMs: null });
  expect((await acknowledge("started", id, leader)).status).toBe(200);
  return { leader, others, id, donationId };
}

test("seven pages on standby are sent an alert, then its start with the time since then, then its end", async () => {
  const { leader, others, id } = await startFollowed(7);
  for (const other of others) {
    const { id: followed, elapsedMs } = await other.next("playback");
    expect(followed).toBe(id);
    expect(elapsedMs).toBeGreaterThanOrEqual(0);
  }
  expect((await acknowledge("ended", id, leader)).status).toBe(200);
  for (const other of others) expect(await other.next("stop")).toEqual({ playbackId: id });
});

test("a page that connects in the middle of an alert is sent it with the time since its start", async () => {
  const { id } = await startFollowed();
  const startedBefore = performance.now();
  let passed = 0;
  while (passed < 100) {
    passed = performance.now() - startedBefore;
    const { role, playback } = await (await follow()).next("snapshot");
    expect([role, playback?.id]).toEqual(["standby", id]);
    expect(playback?.elapsedMs).toBeGreaterThanOrEqual(passed - 20); // the server's clock and this one may run a little apart
  }
});

test("what a page on standby acknowledges is refused with 409, and the leading page's end counts", async () => {
  const { leader, others, id, donationId } = await startFollowed();
  for (const step of ["started", "ended"] as const)
    expectProblem(await acknowledge(step, id, others[0] as Page), 409, "alert_state_conflict");
  expect((await acknowledge("ended", id, leader)).status).toBe(200);
  expect(readDonation(await get(donationId)).alert).toMatchObject({ status: "shown" });
});

test("when the leading page goes in the middle, one follower leads: it is not sent the alert again, and its end counts once", async () => {
  const { leader, others, id, donationId } = await startFollowed(3);
  for (const other of others) await other.next("playback");
  leader.close();
  const led = (page: Page) => page.events.some(({ event, data }) => event === "role" && (data as { role: string }).role === "player");
  await expect.poll(() => others.filter(led).length).toBe(1);
  const heir = others.find(led) as Page;
  for (const other of others) await other.expectNothing("playback");
  expectProblem(await acknowledge("ended", id, leader), 409, "alert_state_conflict");
  expect((await acknowledge("ended", id, heir)).status).toBe(200);
  expect(readDonation(await get(donationId)).alert).toMatchObject({ status: "shown" });
  for (const other of others.filter((one) => one !== heir)) expect(await other.next("stop")).toEqual({ playbackId: id });
});

test("when the leading page goes before the start, another one plays the alert from the beginning", async () => {
  const [leader, other] = [await follow(), await follow()];
  await donate();
  const { id } = await leader.next("playback");
  expect(await other.next("playback")).toMatchObject({ id });
  leader.close();
  expect(await other.next("role")).toEqual({ role: "player" });
  expect(await other.next("playback")).toMatchObject({ id, elapsedMs: null });
  for (const step of ["started", "ended"] as const) expect((await acknowledge(step, id, other)).status).toBe(200);
});

test.each(["skip", "hide"] as const)("a playing alert ends on every page with %s", async (name) => {
  const { leader, others, id } = await startFollowed(2);
  await control(name);
  for (const page of [leader, ...others]) expect(await page.next("stop")).toEqual({ playbackId: id });
});

test("a widget's page is sent no playback", async () => {
  const widget = await follow({ plays: false });
  await startFollowed();
  expect((await widget.next("snapshot")).playback).toBeNull();
  await widget.expectNothing("playback");
});
