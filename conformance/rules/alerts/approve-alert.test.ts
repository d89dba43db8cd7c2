import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Donation, expectNow, expectProblem, get, readDonation, takeBack } from "../../suite/client/api.ts";
import { endOfLog, listAllEvents } from "../../suite/client/events/event-stream.ts";
import {
  alertDataOf,
  change,
  control,
  decide,
  donate,
  freshQueue,
  type Queue,
  queue,
  queueOf,
  replay,
} from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, firstPlayback, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import { passTime } from "../../suite/servers/database.ts";
import { keyOf } from "../../suite/values/target.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const alertOf = async ({ id }: Donation) => readDonation(await get(id)).alert;
const heldOf = async (): Promise<Queue["held"]> => queueOf(await queue()).held;

/** The types of the events of its alert since then, in their order. */
async function toldOf({ id }: Donation, after: string): Promise<string[]> {
  const events = (await listAllEvents({ after })).filter(({ type }) => type.startsWith("alert."));
  return events.filter(({ data }) => "donationId" in data && data.donationId === id).map(({ type }) => type);
}

/** Waits until the alert is held: without a connected page a server may look for such alerts now and then. */
async function untilHeld(...donations: Donation[]): Promise<void> {
  const ids = donations.map(({ id }) => id);
  await expect.poll(async () => (await heldOf()).map(({ donationId }) => donationId)).toEqual(ids);
}

describe("held alerts", () => {
  test("approval all holds an alert with its texts and the time at which the time-out decides, and does not play it", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    await change({ approval: "all", approvalSeconds: 10 });
    const one = await donate({ donatorName: " Malee ", message: "Hi\r\n", amount: 12.5005 });
    await untilHeld(one);
    const reply = await queue();
    const { held, heldCount, waitingCount } = queueOf(reply);
    const { donatorName, amount, currency, message, source } = one;
    expectNow(held[0]?.heldAt ?? null, reply);
    expect(held[0]).toMatchObject({ donationId: one.id, donatorName, amount, currency, message, source });
    expect(Date.parse(held[0]?.decidesAt ?? "") - Date.parse(held[0]?.heldAt ?? "")).toBe(10_000);
    expect([heldCount, waitingCount]).toEqual([1, 0]);
    expect(await alertOf(one)).toEqual({ status: "queued", reason: null, shownAt: null, masked: false });
    await page.expectNothing("playback");
  });

  test("approval all holds what would play otherwise: an alert below the minimum amount is skipped", async (context) => {
    await change({ approval: "all", minimumAmount: 50 });
    await follow({ key: overlayKeyOf(context) });
    const [below, at] = [await donate({ amount: 49.99 }), await donate({ amount: 50 })];
    await untilHeld(at);
    expect(await alertOf(below)).toMatchObject({ status: "skipped", reason: "below_minimum" });
  });

  test("the first 50 held alerts are listed, oldest first, and heldCount counts all of them", async () => {
    await change({ approval: "all" });
    const sent: string[] = [];
    for (let count = 0; count < 52; count += 1) sent.push((await donate()).id);
    await expect.poll(async () => queueOf(await queue()).heldCount).toBe(52);
    expect((await heldOf()).map(({ donationId }) => donationId)).toEqual(sent.slice(0, 50));
  });

  test("approval all holds alerts while no page is connected, too", async () => {
    await change({ approval: "all" });
    const [one, two] = [await donate(), await donate()];
    await untilHeld(one, two);
  });

  test("approval matching holds alerts with a blocked word and plays others", async (context) => {
    await change({ approval: "matching", blockedWords: ["spam"] });
    const page = await follow({ key: overlayKeyOf(context) });
    const [bad, good] = [await donate({ message: "s p a m" }), await donate({ message: "ดี" })];
    expect((await show(page)).donationId).toBe(good.id);
    await untilHeld(bad);
    await decide(bad.id, "approve");
    expect(await show(page)).toMatchObject({ donationId: bad.id, message: "s p a m" });
  });

  test("blockedWordAction hold holds an alert with a blocked word although approval is off", async () => {
    await change({ blockedWordAction: "hold", blockedWords: ["spam"] });
    const bad = await donate({ donatorName: "spam" });
    await untilHeld(bad);
  });

  test("blockedWordAction skip skips an alert with a blocked word instead of holding it under approval all", async (context) => {
    await change({ approval: "all", blockedWords: ["spam"] });
    await follow({ key: overlayKeyOf(context) });
    const [bad, good] = [await donate({ message: "spam" }), await donate()];
    await untilHeld(good);
    expect(await alertOf(bad)).toMatchObject({ status: "skipped", reason: "filtered" });
  });

  test("alerts that waited when approval was turned on are held, however many", async (context) => {
    const donations = [];
    for (let i = 0; i < 6; i += 1) donations.push(await donate());
    const page = await follow({ key: overlayKeyOf(context) });
    const playing = await firstPlayback(page);
    await change({ approval: "all" });
    await acknowledge("ended", playing.id, page);
    await untilHeld(...donations.slice(1));
    await page.expectNothing("playback");
  });

  test("a replay is not held, and a held alert can't be replayed", async (context) => {
    await change({ approval: "all" });
    const [held, asked] = [await donate(), await donate({ skipAlert: true })];
    await untilHeld(held);
    expectProblem(await replay(held.id), 409, "alert_state_conflict");
    expect((await replay(asked.id)).status).toBe(201);
    expect((await firstPlayback(await follow({ key: overlayKeyOf(context) }))).donationId).toBe(asked.id);
  });

  test("clearing the queue ends held alerts for the reason control, and voiding a donation ends its held alert", async () => {
    await change({ approval: "all" });
    const [cleared, voided] = [await donate(), await donate()];
    await untilHeld(cleared, voided);
    await takeBack(voided);
    expect(await alertOf(voided)).toMatchObject({ status: "skipped", reason: "voided" });
    expect(queueOf(await control("clear"))).toMatchObject({ held: [], heldCount: 0 });
    expect(await alertOf(cleared)).toMatchObject({ status: "skipped", reason: "control" });
    expectProblem(await decide(voided.id, "approve"), 409, "alert_state_conflict");
  });
});

describe("time-outs of held alerts", () => {
  const shown = { alert: { status: "shown", reason: null }, types: ["alert.approved", "alert.started", "alert.shown"] };
  const timeOuts = [
    { onTimeout: "show", ...shown, texts: { masked: false, donatorName: "Malee", message: "Hi" } },
    { onTimeout: "drop", alert: { status: "skipped", reason: "timed_out" }, types: ["alert.skipped"], texts: null },
    { onTimeout: "mask", ...shown, texts: { masked: true, donatorName: "***", message: "" } },
  ];
  test.for(timeOuts)(
    "after approvalSeconds without a decision, onTimeout $onTimeout decides, the log tells of it, and later decisions are refused",
    async ({ onTimeout, alert, types, texts }, context) => {
      const end = await endOfLog();
      await change({ approval: "all", approvalSeconds: 10, onTimeout });
      const one = await donate({ donatorName: "Malee", message: "Hi" });
      await untilHeld(one);
      const page = await follow({ key: overlayKeyOf(context) });
      await passTime(10, "held_alerts");
      // Nobody promises how soon after decidesAt it is decided.
      await expect.poll(async () => queueOf(await queue()).heldCount, { timeout: 60_000 }).toBe(0);
      if (texts) expect(await show(page)).toMatchObject(texts);
      expect(await alertOf(one)).toMatchObject(alert);
      expect(await toldOf(one, end)).toEqual(["alert.held", ...types]);
      for (const name of ["approve", "mask", "deny"] as const) expectProblem(await decide(one.id, name), 409, "alert_state_conflict");
      await page.expectNothing("playback");
    },
  );
});

describe("approving", () => {
  test("an approved alert plays once, before those that were recorded after it; approving it again is refused", async (context) => {
    await change({ approval: "all" });
    const [one, two] = [await donate({ message: "first" }), await donate()];
    await untilHeld(one, two);
    await control("pause");
    await decide(two.id, "approve");
    expect(queueOf(await decide(one.id, "approve")).waiting.map(({ donationId }) => donationId)).toEqual([one.id, two.id]);
    expectProblem(await decide(one.id, "approve"), 409, "alert_state_conflict");
    const page = await follow({ key: overlayKeyOf(context) });
    await control("resume");
    expect(await show(page)).toMatchObject({ donationId: one.id, message: "first", masked: false });
    expect((await show(page)).donationId).toBe(two.id);
    await page.expectNothing("playback");
  });

  test("an approved alert is neither held nor skipped again by settings that are changed while it waits", async (context) => {
    await change({ approval: "all", blockedWords: ["spam"], blockedWordAction: "hold" });
    const one = await donate({ message: "spam" });
    await untilHeld(one);
    await control("pause");
    await decide(one.id, "approve");
    await change({ blockedWordAction: "skip", minimumAmount: 1_000_000 });
    const page = await follow({ key: overlayKeyOf(context) });
    await control("resume");
    expect((await show(page)).donationId).toBe(one.id);
  });

  test("the log tells that an alert was held, then that it was approved or denied", async () => {
    const end = await endOfLog();
    await change({ approval: "all" });
    const [one, two] = [await donate({ donatorName: " Malee ", message: "Hi\r\n", amount: 12.5005 }), await donate()];
    await untilHeld(one, two);
    await decide(one.id, "approve");
    await decide(two.id, "deny");
    const told = (await listAllEvents({ after: end })).map(({ type, data }) => [type, data] as const);
    expect(told.filter(([, data]) => "donationId" in data && [one.id, two.id].includes(data.donationId))).toEqual([
      ["alert.held", { ...alertDataOf(one), status: "queued" }],
      ["alert.held", { ...alertDataOf(two), status: "queued" }],
      ["alert.approved", { ...alertDataOf(one), status: expect.stringMatching(/^(preparing|queued)$/) }],
      ["alert.denied", { ...alertDataOf(two), status: "skipped", reason: "denied" }],
    ]);
  });

  test("an unknown, malformed or another streamer's donation is refused with alert_not_found", async (context) => {
    const foreign = await donate({ skipAlert: true }, { key: keyOf(context, "other") });
    for (const id of ["01932f6e-8a00-7000-8000-3f1e5a7c9b21", "x", foreign.id])
      for (const name of ["approve", "mask", "deny"] as const) expectProblem(await decide(id, name), 404, "alert_not_found");
  });
});
