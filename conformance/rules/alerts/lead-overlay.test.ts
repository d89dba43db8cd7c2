// Several connected pages: which of them leads, and what those that follow show.

import { afterEach, beforeEach, expect, test } from "vitest";
import { expectNow, expectProblem, get, readDonation } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { control, donate, freshQueue, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, type Page, show } from "../../suite/client/overlay/overlay-page.ts";

// Which of several connected pages leads, and how a streamer chooses.

beforeEach(async (context) => {
  overlayKeyOf(context as never);
  await freshQueue();
});
afterEach(() => closePages());

const overlays = async () => queueOf(await queue()).overlays;
const lead = (id: string) => send({ method: "POST", path: `/api/v1/alerts/overlays/${id}/lead` });

test("the queue lists the connected overlays, the leading one first, and no widget", async () => {
  const before = Date.now();
  const first = await follow({ client: "obs" });
  await first.next("snapshot");
  const [{ connectedAt } = { connectedAt: "" }] = await overlays();
  expectNow(connectedAt, await queue());
  expect(Math.abs(Date.parse(connectedAt) - before)).toBeLessThan(60_000);
  for (const visit of [{ plays: false }, { client: "browser", active: false }] as const) await (await follow(visit)).next("snapshot");
  await expect.poll(overlays).toMatchObject([
    { client: "obs", active: true, leads: true },
    { client: "browser", active: false, leads: false },
  ]);
  first.close();
  await expect.poll(overlays).toMatchObject([{ client: "browser", active: false, leads: true }]);
});

test("between two alerts a page in OBS leads before one in a browser, and a visible one before a hidden one", async () => {
  const plain = await follow({ client: "browser" });
  expect((await plain.next("snapshot")).role).toBe("player");
  const { id } = await donate();
  const playback = await plain.next("playback");
  expect(playback.donationId).toBe(id);
  await acknowledge("started", playback.id, plain);
  const hidden = await follow({ client: "obs", active: false });
  expect((await hidden.next("snapshot")).role).toBe("standby"); // the alert plays to its end where it began
  await acknowledge("ended", playback.id, plain);
  expect(await hidden.next("role")).toEqual({ role: "player" });
  expect(await plain.next("role")).toEqual({ role: "standby" });
  const shown = await follow({ client: "obs" });
  const { role } = await shown.next("snapshot");
  if (role !== "player") expect(await shown.next("role")).toEqual({ role: "player" });
  expect(await hidden.next("role")).toEqual({ role: "standby" });
  const later = await follow({ client: "obs" });
  expect((await later.next("snapshot")).role).toBe("standby");
});

test("a chosen page leads before a page in OBS, also when it connects again; choosing it again changes nothing", async () => {
  const obs = await follow({ client: "obs" });
  await obs.next("snapshot");
  const plain = await follow();
  await plain.next("snapshot");
  await expect.poll(async () => (await overlays()).length).toBe(2);
  const chosen = (await overlays()).find(({ client }) => client === "browser")?.id ?? "";
  for (let i = 0; i < 2; i += 1) expect((await lead(chosen)).status).toBe(200);
  expect(await plain.next("role")).toEqual({ role: "player" });
  plain.close();
  expect((await obs.next("role", ({ role }) => role === "player")).role).toBe("player");
  const again = await follow({ player: plain.player });
  const { role } = await again.next("snapshot");
  if (role !== "player") expect(await again.next("role")).toEqual({ role: "player" });
  const { id } = await donate();
  expect((await show(again)).donationId).toBe(id);
});

test.each(["01932f6e-8a00-7000-8000-3f1e5a7c9b21", "nobody"])(
  "an overlay that is not connected is refused with overlay_not_found: %s",
  async (id) => {
    expectProblem(await lead(id), 404, "overlay_not_found");
  },
);

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
  const began = performance.now();
  const { id } = await startFollowed();
  const startedBefore = performance.now();
  let passed = 0;
  while (passed < 100) {
    passed = performance.now() - startedBefore;
    const { role, playback } = await (await follow()).next("snapshot");
    expect([role, playback?.id]).toEqual(["standby", id]);
    expect(playback?.elapsedMs).toBeGreaterThanOrEqual(passed - 20); // the server's clock and this one may run a little apart
    expect(playback?.elapsedMs).toBeLessThanOrEqual(performance.now() - began + 20);
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
