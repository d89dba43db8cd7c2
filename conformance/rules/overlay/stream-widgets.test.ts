import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { components } from "../../../generated/api.d.ts";
import { create, type Donation, recorded, replayed } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import {
  change,
  decide,
  donate,
  expectNoOtherDonations,
  freshQueue,
  latestCreatedAt,
  queue,
  queueOf,
  sendTest,
} from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow, freshPlayer, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";

type Widgets = components["schemas"]["Widgets"];

// The figures that widgets show: sums, recent and top donators, the goal.

beforeEach(async (context) => {
  overlayKeyOf(context as never);
  await expectNoOtherDonations();
  await freshQueue();
});
afterEach(() => closePages());

const [hour, day] = [3_600_000, 86_400_000];
const offset = 7 * hour; // of Bangkok, all year round

/** A donation as lists of widgets show it. */
const shownOf = ({ id: donationId, donatorName, amount, currency, message, createdAt }: Donation) => ({
  ...{ donationId, donatorName, amount, currency, message, createdAt },
});

const toSatang = (baht: number): number => Math.round(baht * 100);

/** When the day, the week (on Monday) and the month of an instant begin in Bangkok. */
function startsAt(instant: string): { day: number; week: number; month: number } {
  const local = Date.parse(instant) + offset;
  const today = local - (local % day);
  const date = new Date(today);
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return {
    day: today - offset,
    week: today - sinceMonday * day - offset,
    month: today - (date.getUTCDate() - 1) * day - offset,
  };
}

describe("widgets", () => {
  test("widgets' sums and top donators are exact after the last of many donations", async () => {
    const page = await follow({ plays: false });
    const before = (await page.next("snapshot")).widgets;
    const name = freshPlayer().slice(0, 40);
    for (let i = 0; i < 40; i += 1) await donate({ donatorName: name, amount: maxAmount, skipAlert: true, createdAt: undefined });
    await donate({ donatorName: name, amount: 0.01, skipAlert: true, createdAt: undefined });
    const after = await page.next("widgets", ({ totals }) => totals.all.count === before.totals.all.count + 41);
    for (const span of ["today", "month", "all"] as const) {
      expect(after.totals[span].count - before.totals[span].count).toBe(41);
      expect(toSatang(after.totals[span].amount) - toSatang(before.totals[span].amount)).toBe(4_000_000_001);
    }
    expect(after.top.find(({ donatorName }) => donatorName === name)).toMatchObject({ amount: 40_000_000.01, count: 41 });
  });

  test("the recent donations of widgets are those with the latest createdAt, and of equal times the one recorded last comes first", async () => {
    const page = await follow({ plays: false });
    const { count } = (await page.next("snapshot")).widgets.totals.all;
    const latest: object[] = [];
    const at = Date.parse(latestCreatedAt());
    const [time, before] = [at, at - 1].map((ms) => new Date(ms).toISOString());
    for (let i = 0; i < 5; i += 1) {
      latest.unshift(shownOf(await donate({ skipAlert: true, createdAt: time })));
      await donate({ skipAlert: true, createdAt: before });
      await donate({ skipAlert: true, createdAt: "2020-01-01T00:00Z" });
    }
    const { recent } = await page.next("widgets", ({ totals }) => totals.all.count === count + 15);
    expect(recent.slice(0, 5)).toEqual(latest);
  });

  test("a donation dated more than a day ahead counts in the widgets' totals, and is not among the recent ones", async () => {
    const page = await follow({ plays: false });
    const { count } = (await page.next("snapshot")).widgets.totals.all;
    const { id } = await donate({ skipAlert: true, createdAt: "9999-12-31T23:59:59.999-23:59" });
    const { recent } = await page.next("widgets", ({ totals }) => totals.all.count === count + 1);
    expect(recent.map(({ donationId }) => donationId)).not.toContain(id);
  });

  test("donations of an erased donator count in the widgets' sums and the goal, and are in none of the lists: those after them take their places", async () => {
    const page = await follow({ plays: false });
    const before = (await page.next("snapshot")).widgets;
    const identifier = `erased-${freshPlayer()}`;
    const donatorName = identifier.slice(0, lengthsOf("donatorName").max);
    const { id } = await donate({ identifier, donatorName, amount: maxAmount, skipAlert: true, createdAt: latestCreatedAt() });
    const given = await page.next("widgets", ({ totals }) => totals.all.count === before.totals.all.count + 1);
    expect(given.recent[0]?.donationId).toBe(id);
    const body = JSON.stringify({ identifier });
    const erasure = { method: "POST", path: "/api/v1/donators/erase", headers: { "Content-Type": "application/json" }, body };
    expect((await send(erasure)).status).toBe(200);
    const listsOf = ({ recent, top, topOf, largest }: Widgets) => JSON.stringify([recent, top, topOf, largest]);
    const after = await page.next("widgets", (widgets) => !listsOf(widgets).includes(identifier.slice(0, 50)));
    const erasedIn = (widgets: Widgets) => listsOf(widgets).split('"(erased)"').length - 1; // on another server somebody may call himself so
    expect(erasedIn(after)).toBeLessThanOrEqual(erasedIn(before));
    expect([after.totals, after.recent.length, after.top[0]?.rank]).toEqual([given.totals, before.recent.length, 1]);
  });

  test("a donation of long ago counts in the widgets' totals, but not in today's", async () => {
    const page = await follow({ plays: false });
    const before = (await page.next("snapshot")).widgets.totals;
    await donate({ skipAlert: true, createdAt: "2001-01-01T00:00Z" });
    const { totals } = await page.next("widgets", ({ totals }) => totals.all.count === before.all.count + 1);
    expect([totals.today, totals.month]).toEqual([before.today, before.month]);
  });

  test.for(["day", "week", "month"] as const)(
    "widgets' present %s begins at midnight of Bangkok: a donation at this millisecond counts, and one a millisecond earlier does not",
    async (period) => {
      const page = await follow({ plays: false });
      let seen = (await page.next("snapshot")).widgets;
      for (let isSameDay = false; !isSameDay; ) {
        const before = seen;
        const start = startsAt(before.asOf);
        const on = (ms: number) => donate({ skipAlert: true, amount: maxAmount, createdAt: new Date(ms).toISOString() });
        const first = await on(start[period]);
        await on(start[period] - 1); // of equal ones the last would be the largest
        seen = await page.next("widgets", ({ totals }) => totals.all.count === before.totals.all.count + 2);
        isSameDay = startsAt(seen.asOf).day === start.day;
        if (!isSameDay) continue;
        expect(seen.largest[period]?.donationId).toBe(first.id);
        if (period === "week") continue;
        const name = period === "day" ? "today" : "month";
        const [sum, sumBefore] = [seen.totals[name], before.totals[name]];
        expect([sum.count - sumBefore.count, sum.amount - sumBefore.amount]).toEqual([1, maxAmount]);
      }
    },
  );

  test("the goal counts donations from its day on, and is shown as soon as it is set", async () => {
    const page = await follow({ plays: false });
    await page.next("snapshot");
    const day = "9990-01-01"; // nobody else donates then
    await donate({ skipAlert: true, amount: 1.5, createdAt: "9989-12-31T16:59:59.999Z" });
    await change({ goal: { title: "ไมค์", target: 99.25, from: day } });
    const before = await page.next("widgets", ({ goal }) => goal !== null);
    expect(before.goal).toEqual({ title: "ไมค์", target: 99.25, current: expect.any(Number), to: null, ended: false });
    await donate({ skipAlert: true, amount: 2.5, createdAt: "9989-12-31T17:00:00Z" });
    const after = await page.next("widgets", ({ totals }) => totals.all.count === before.totals.all.count + 1);
    expect((after.goal?.current ?? 0) - (before.goal?.current ?? 0)).toBe(2.5);
    await change({ goal: null });
    await page.next("widgets", ({ goal }) => goal === null);
  });

  test("each of several goals counts the donations of its own days, in the order of the settings", async () => {
    const page = await follow({ plays: false });
    await page.next("snapshot");
    const goals = ["01", "02"].map((day) => ({
      id: `day-${day}`,
      title: "ไมค์",
      target: 100,
      from: `9990-04-${day}`,
      to: `9990-04-${day}`,
    }));
    await change({ goals });
    const before = await page.next("widgets", (shown) => shown.goals.length === 2);
    await donate({ skipAlert: true, amount: 1.5, createdAt: "9990-04-01T12:00+07:00" });
    await donate({ skipAlert: true, amount: 4, createdAt: "9990-04-02T12:00+07:00" });
    const after = await page.next("widgets", ({ totals }) => totals.all.count === before.totals.all.count + 2);
    expect(after.goals.map(({ id, current }, i) => [id, current - (before.goals[i]?.current ?? 0)])).toEqual([
      ["day-01", 1.5],
      ["day-02", 4],
    ]);
    expect({ id: "day-01", ...after.goal }).toEqual(after.goals[0]);
    await change({ goals: goals.toReversed() });
    await page.next("widgets", ({ goal }) => goal?.to === "9990-04-02");
    await change({ goals: [] });
    expect((await page.next("widgets", ({ goal }) => goal === null)).goals).toEqual([]);
  });

  test("a donation that is repeated under its idempotencyKey counts once in the widgets and the goal, and plays once", async () => {
    const page = await follow();
    await page.next("snapshot");
    const title = "ครั้งเดียว";
    await change({ goal: { title, target: 100, from: "9990-03-01", to: "9990-03-01" } });
    const before = await page.next("widgets", ({ goal }) => goal?.title === title);
    const grown = (goal: { current: number } | null) => (goal?.current ?? 0) - (before.goal?.current ?? 0);
    const createdAt = "9990-03-01T12:00Z";
    const body = donation({ skipAlert: false, amount: 1.5, createdAt, idempotencyKey: freshKey() });
    const { id } = recorded(await create(body));
    expect((await show(page)).donationId).toBe(id);
    for (let times = 0; times < 3; times += 1) expect(replayed(await create(body)).id).toBe(id);
    const other = await donate({ amount: 2.5, createdAt });
    expect((await show(page)).donationId).toBe(other.id);
    const after = await page.next("widgets", ({ goal }) => grown(goal) >= 4);
    expect(grown(after.goal)).toBe(4);
    await page.expectNothing("playback");
    await change({ goal: null });
    await page.next("widgets", ({ goal }) => goal === null);
  });

  test("a goal with a last day counts donations up to the end of that day, and tells when it is over", async () => {
    const page = await follow({ plays: false });
    await page.next("snapshot");
    await change({ goal: { title: "ไมค์", target: 100, from: "9990-02-01", to: "9990-02-02" } });
    const before = await page.next("widgets", ({ goal }) => goal !== null);
    expect(before.goal).toMatchObject({ to: "9990-02-02", ended: false });
    await donate({ skipAlert: true, amount: 2.5, createdAt: "9990-02-02T16:59:59.999Z" });
    await donate({ skipAlert: true, amount: 4, createdAt: "9990-02-02T17:00:00Z" });
    const after = await page.next("widgets", ({ totals }) => totals.all.count === before.totals.all.count + 2);
    expect((after.goal?.current ?? 0) - (before.goal?.current ?? 0)).toBe(2.5);
    await change({ goal: { title: "ไมค์", target: 100, from: "2001-02-01", to: "2001-02-02" } });
    expect((await page.next("widgets", ({ goal }) => goal?.to === "2001-02-02")).goal?.ended).toBe(true);
    await change({ goal: null });
    await page.next("widgets", ({ goal }) => goal === null);
  });

  test("the largest donation of a period is the largest dated in it; of equal ones it is the one recorded last", async () => {
    const page = await follow({ plays: false });
    const { count } = (await page.next("snapshot")).widgets.totals.all;
    await donate({ skipAlert: true, amount: maxAmount, createdAt: undefined });
    const today = await donate({ skipAlert: true, amount: maxAmount, createdAt: undefined, donatorName: "วันนี้" });
    const now = await page.next("widgets", ({ totals }) => totals.all.count === count + 2);
    for (const period of ["day", "week", "month", "all"] as const) expect(now.largest[period]).toEqual(shownOf(today));
    const old = await donate({ skipAlert: true, amount: maxAmount, createdAt: "2001-01-01T00:00Z" });
    const { largest } = await page.next("widgets", ({ totals }) => totals.all.count === count + 3);
    expect([largest.day, largest.week, largest.month, largest.all].map((one) => one?.donationId)).toEqual([
      ...[today.id, today.id, today.id],
      old.id,
    ]);
  });

  test("top donators of a period are summed up from the donations dated in it", async () => {
    const page = await follow({ plays: false });
    const { count } = (await page.next("snapshot")).widgets.totals.all;
    const donatorName = freshPlayer().slice(0, 40);
    for (let i = 0; i < 60; i += 1) await donate({ skipAlert: true, amount: maxAmount, createdAt: undefined, donatorName });
    await donate({ skipAlert: true, amount: maxAmount, createdAt: "2001-01-01T00:00Z", donatorName });
    const { top, topOf } = await page.next("widgets", ({ totals }) => totals.all.count === count + 61);
    const expectIn = (donators: typeof top, amount: number, count: number) => {
      const amounts = donators.map((one) => one.amount);
      expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
      const own = { rank: amounts.indexOf(amount) + 1, donatorName, amount, count };
      expect(donators.find((one) => one.donatorName === donatorName)).toEqual(own);
    };
    for (const period of ["day", "week", "month"] as const) expectIn(topOf[period], 60_000_000, 60);
    expectIn(top, 61_000_000, 61);
  });

  test("test alerts change nothing in the widgets", async () => {
    const page = await follow({ plays: false });
    await page.next("snapshot");
    await sendTest({});
    await donate({ skipAlert: true, donatorName: "ของจริง", createdAt: latestCreatedAt() });
    const { recent } = await page.next("widgets", (widgets) => widgets.recent[0]?.donatorName === "ของจริง");
    expect(recent.map(({ donatorName }) => donatorName)).not.toContain("Namjai");
  });

  test("widgets show neither name nor message of a donation whose alert is held, denied or masked, and both once it is approved", async () => {
    await change({ approval: "all" });
    const page = await follow({ plays: false });
    await page.next("snapshot");
    for (const [decision, ...texts] of [
      ["deny", "***", ""],
      ["mask", "***", ""],
      ["approve", "Anong", "hello"],
    ] as const) {
      const { id } = await donate({ donatorName: "Anong", message: "hello", amount: 20, createdAt: latestCreatedAt() });
      const seen = ({ recent }: Widgets) => recent.flatMap((one) => (one.donationId === id ? [[one.donatorName, one.message]] : []));
      expect(seen(await page.next("widgets", (widgets) => seen(widgets).length === 1)), "held").toEqual([["***", ""]]);
      await expect.poll(async () => queueOf(await queue()).held.map(({ donationId }) => donationId)).toContain(id);
      expect((await decide(id, decision)).status).toBe(200);
      if (decision === "approve") await page.next("widgets", (widgets) => seen(widgets)[0]?.[0] === "Anong");
      const later = await donate({ skipAlert: true, amount: 20, createdAt: latestCreatedAt() });
      const after = await page.next("widgets", ({ recent }) => recent.some(({ donationId }) => donationId === later.id));
      expect(seen(after), decision).toEqual([texts]);
    }
  });

  test("widgets mask blocked words, and change as soon as the words do", async () => {
    const page = await follow({ plays: false });
    await page.next("snapshot");
    const message = "you badword here";
    const { id } = await donate({ skipAlert: true, message, createdAt: latestCreatedAt() });
    const largest = await donate({ skipAlert: true, donatorName: "Mr badword", amount: maxAmount, createdAt: undefined });
    const messageOf = ({ recent }: Widgets) => recent.find(({ donationId }) => donationId === id)?.message;
    const seen = await page.next("widgets", (widgets) => messageOf(widgets) === message && widgets.largest.all?.donationId === largest.id);
    expect(seen.largest.day?.donatorName).toBe("Mr badword");
    await change({ blockedWords: ["badword"], blockedWordAction: "mask_word" });
    const masked = await page.next("widgets", (widgets) => messageOf(widgets) === "you *** here");
    expect(masked.largest.day?.donatorName).toBe("Mr ***");
    expect(JSON.stringify(masked)).not.toContain("badword");
    await change({ blockedWordAction: "skip" });
    const hidden = await page.next("widgets", (widgets) => messageOf(widgets) === "");
    expect([hidden.largest.day?.donatorName, hidden.largest.all?.donatorName]).toEqual(["***", "***"]);
    await change({ blockedWords: [] });
    await page.next("widgets", (widgets) => messageOf(widgets) === message);
  });
});
