import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Donation, expectProblem, get, readDonation } from "../../suite/client/api.ts";
import { endOfLog, eventPageOf, listEvents } from "../../suite/client/events/event-stream.ts";
import { holds } from "../../suite/client/holds.ts";
import { change, control, decide, donate, freshQueue, queue, queueOf, replay } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

test("skipping while nothing plays is refused with alert_state_conflict, and waiting alerts go on waiting", async () => {
  await donate();
  expectProblem(await control("skip"), 409, "alert_state_conflict");
  expect(queueOf(await control("resume")).waitingCount).toBe(1);
});

test("skipping tells the page to stop, records the reason, and the next alert follows", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [skipped, next] = [await donate(), await donate()];
  const { id } = await page.next("playback");
  await acknowledge("started", id, page);
  expect(queueOf(await control("skip")).playing?.donationId).not.toBe(skipped.id);
  expect(await page.next("stop")).toEqual({ playbackId: id });
  expect((await show(page)).donationId).toBe(next.id);
  expect(readDonation(await get(skipped.id)).alert).toEqual({ status: "skipped", reason: "control", shownAt: null, masked: false });
});

test("skipping is possible while the queue is paused: what plays ends, and nothing follows", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [playing, waiting] = [await donate(), await donate()];
  const { id } = await page.next("playback");
  await acknowledge("started", id, page);
  await control("pause");
  expect(queueOf(await control("skip"))).toMatchObject({ paused: true, playing: null, waiting: [{ donationId: waiting.id }] });
  expect(await page.next("stop")).toEqual({ playbackId: id });
  expect(readDonation(await get(playing.id)).alert).toMatchObject({ status: "skipped", reason: "control" });
});

test("an alert that was handed out and has not begun can be skipped", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await donate();
  const { id } = await page.next("playback");
  queueOf(await control("skip"));
  expect(await page.next("stop")).toEqual({ playbackId: id });
  expectProblem(await acknowledge("started", id, page), 409, "alert_state_conflict");
});

const alertOf = async ({ id }: Donation) => readDonation(await get(id)).alert;
const skipped = { status: "skipped", reason: "control", shownAt: null, masked: false };

test("a waiting alert that is skipped is never played, those before and after it are, and its donation stays", async (context) => {
  await control("pause");
  const [first, one, last] = [await donate(), await donate(), await donate()];
  const { waiting, waitingCount } = queueOf(await decide(one.id, "skip"));
  expect([waiting.map(({ donationId }) => donationId), waitingCount]).toEqual([[first.id, last.id], 2]);
  expect(await alertOf(one)).toEqual(skipped);
  const page = await follow({ key: overlayKeyOf(context) });
  await control("resume");
  expect([(await show(page)).donationId, (await show(page)).donationId]).toEqual([first.id, last.id]);
  await page.expectNothing("playback");
});

test("an alert is skipped in each place of the queue: behind the ones whose speech is made, and as a replay", async (context) => {
  await control("pause");
  await follow({ key: overlayKeyOf(context) });
  const donations = [];
  for (let i = 0; i < 6; i += 1) donations.push(await donate());
  const again = await donate({ skipAlert: true });
  expect((await replay(again.id)).status).toBe(201);
  for (const { id } of [again, ...donations.toReversed()]) queueOf(await decide(id, "skip"));
  expect(queueOf(await queue())).toMatchObject({ waiting: [], waitingCount: 0 });
  for (const donation of [again, ...donations]) expect(await alertOf(donation)).toEqual(skipped);
});

test("skipping the alert that plays stops it, and skipping another one leaves it on screen", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [playing, waiting, last] = [await donate(), await donate(), await donate()];
  const { id } = await page.next("playback");
  await acknowledge("started", id, page);
  expect(queueOf(await decide(waiting.id, "skip")).playing?.donationId).toBe(playing.id);
  queueOf(await decide(playing.id, "skip"));
  expect(await page.next("stop")).toEqual({ playbackId: id });
  expect((await show(page)).donationId).toBe(last.id);
});

test("an alert that is skipped again stays skipped with one event, also when both are sent at once", async () => {
  const { id } = await donate();
  const after = await endOfLog();
  for (const reply of await Promise.all([decide(id, "skip"), decide(id, "skip")])) queueOf(reply);
  queueOf(await decide(id, "skip"));
  const { data } = eventPageOf(await listEvents({ after, types: ["alert.skipped"] }));
  expect(data).toMatchObject([{ type: "alert.skipped", data: { donationId: id, reason: "control", isReplay: false } }]);
});

test("an alert that is held, was shown, denied or wanted none is not skipped: alert_state_conflict", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [shown, denied, unwanted] = [await donate(), await donate(), await donate({ skipAlert: true })];
  await decide(denied.id, "deny");
  await show(page);
  await change({ approval: "all" });
  const held = await donate();
  await expect.poll(async () => queueOf(await queue()).heldCount).toBe(1);
  for (const { id } of [shown, denied, unwanted, held]) expectProblem(await decide(id, "skip"), 409, "alert_state_conflict");
  expect(queueOf(await queue()).heldCount).toBe(1);
});

const order = async (): Promise<string[]> => queueOf(await queue()).waiting.map(({ donationId }) => donationId);

test("an alert that is played next comes before all others, and the one that plays goes on", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const donations = [];
  for (let i = 0; i < 6; i += 1) donations.push((await donate()).id);
  const [first, second, third, fourth, fifth, last = ""] = donations;
  await expect.poll(async () => queueOf(await queue()).playing?.donationId).toBe(first);
  const { playing, waiting } = queueOf(await decide(last, "next"));
  expect([playing?.donationId, waiting.map(({ donationId }) => donationId)]).toEqual([first, [last, second, third, fourth, fifth]]);
  const played = [];
  for (let i = 0; i < 6; i += 1) played.push((await show(page)).donationId);
  expect(played).toEqual([first, last, second, third, fourth, fifth]);
  await page.expectNothing("playback");
});

type Step = { step: "donate" | "replay" | "next" | "skip" | "connect"; which: number };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ step: fc.constantFrom("donate", "replay", "next", "skip", "connect"), which: fc.nat(20) }),
  { minLength: 4, maxLength: 16 },
);

/** The queue as it must be: those put next, the latest first; replays, the earliest first; then the others. */
type Waiting = { put: string[]; replays: string[]; others: string[] };

test("the queue plays alerts that were put next first, the latest of them at the front, then replays, then donations in the order of recording", (context) =>
  holds(
    steps,
    async (path) => {
      closePages();
      await freshQueue();
      await control("pause");
      const state: Waiting = { put: [], replays: [], others: [] };
      const ended: string[] = [];
      const all = () => [...state.put, ...state.replays, ...state.others];
      for (const { step, which } of path) {
        const one = all()[which % Math.max(1, all().length)];
        if (step === "donate") state.others.push((await donate()).id);
        else if (step === "connect") await follow({ key: overlayKeyOf(context) });
        else if (step === "replay") {
          const again = ended.shift() ?? (await donate({ skipAlert: true })).id;
          expect((await replay(again)).status).toBe(201);
          state.replays.push(again);
        } else if (one !== undefined) {
          queueOf(await decide(one, step));
          for (const part of ["put", "replays", "others"] as const) state[part] = state[part].filter((id) => id !== one);
          if (step === "next") state.put.unshift(one);
          else ended.push(one);
        }
        expect(await order()).toEqual(all());
      }
    },
    { runs: 12, concurrency: 1 },
  ));

test("putting the next alert next again changes nothing, and two that are put next at once are both before the others", async () => {
  await control("pause");
  const [one, two, three] = [await donate(), await donate(), await donate()];
  for (let i = 0; i < 2; i += 1) queueOf(await decide(three.id, "next"));
  expect(await order()).toEqual([three.id, one.id, two.id]);
  for (const reply of await Promise.all([decide(one.id, "next"), decide(two.id, "next")])) queueOf(reply);
  expect(await order()).toBeOneOf([
    [one.id, two.id, three.id],
    [two.id, one.id, three.id],
  ]);
});

test("an alert that does not wait, or that the settings keep from playing, is not put next: alert_state_conflict", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [shown, unwanted] = [await donate(), await donate({ skipAlert: true })];
  await show(page);
  const playing = await donate();
  await page.next("playback");
  await change({ approval: "all" });
  const held = await donate();
  await expect.poll(async () => queueOf(await queue()).heldCount).toBe(1);
  await change({ approval: "off" });
  for (const { id } of [shown, unwanted, playing, held]) expectProblem(await decide(id, "next"), 409, "alert_state_conflict");
  closePages();
  const [low, skipped] = [await donate({ amount: 1 }), await donate()];
  await decide(skipped.id, "skip");
  await change({ minimumAmount: 2 });
  for (const { id } of [low, skipped]) expectProblem(await decide(id, "next"), 409, "alert_state_conflict");
});
