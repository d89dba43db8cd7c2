import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { change, donate, freshQueue, latestCreatedAt, sendTest } from "../../harness/overlay/alert-controls.ts";
import { closePages, follow, freshPlayer, overlayKeyOf } from "../../harness/overlay/overlay-page.ts";

// The figures that widgets show: sums, recent and top donators, the goal.

beforeEach(async (context) => {
  overlayKeyOf(context as never);
  await freshQueue();
});
afterEach(() => closePages());

describe("widgets", () => {
  test("widgets' sums and top donators are exact after the last of many donations, in few events", async () => {
    const page = await follow({ plays: false });
    const before = (await page.next("snapshot")).widgets;
    const name = freshPlayer().slice(0, 40);
    for (let i = 0; i < 40; i += 1) await donate({ donatorName: name, amount: 1_000_000, skipAlert: true, createdAt: undefined });
    const after = await page.next("widgets", ({ totals }) => totals.all.count === before.totals.all.count + 40);
    for (const span of ["today", "month", "all"] as const) expect(after.totals[span].count - before.totals[span].count).toBe(40);
    expect(after.top.find(({ donatorName }) => donatorName === name)).toMatchObject({ amount: 40_000_000, count: 40 });
    expect(page.events.filter(({ event }) => event === "widgets").length).toBeLessThan(40);
  });

  test("the recent donations of widgets are those with the latest createdAt, and of equal times the one recorded last comes first", async () => {
    const page = await follow({ plays: false });
    const { count } = (await page.next("snapshot")).widgets.totals.all;
    const latest: string[] = [];
    const at = Date.parse(latestCreatedAt());
    const [time, before] = [at, at - 1].map((ms) => new Date(ms).toISOString());
    for (let i = 0; i < 5; i += 1) {
      latest.unshift((await donate({ skipAlert: true, createdAt: time })).id);
      await donate({ skipAlert: true, createdAt: before });
      await donate({ skipAlert: true, createdAt: "2020-01-01T00:00Z" });
    }
    const { recent } = await page.next("widgets", ({ totals }) => totals.all.count === count + 15);
    expect(recent.slice(0, 5).map(({ donationId }) => donationId)).toEqual(latest);
  });

  test("a donation dated more than a day ahead counts in the widgets' totals, and is not among the recent ones", async () => {
    const page = await follow({ plays: false });
    const { count } = (await page.next("snapshot")).widgets.totals.all;
    const { id } = await donate({ skipAlert: true, createdAt: "9999-12-31T23:59:59.999-23:59" });
    const { recent } = await page.next("widgets", ({ totals }) => totals.all.count === count + 1);
    expect(recent.map(({ donationId }) => donationId)).not.toContain(id);
  });

  test("a donation of long ago counts in the widgets' totals, but not in today's", async () => {
    const page = await follow({ plays: false });
    const before = (await page.next("snapshot")).widgets.totals;
    await donate({ skipAlert: true, createdAt: "2001-01-01T00:00Z" });
    const { totals } = await page.next("widgets", ({ totals }) => totals.all.count === before.all.count + 1);
    expect([totals.today, totals.month]).toEqual([before.today, before.month]);
  });

  test("the goal counts donations from its day on, and is shown as soon as it is set", async () => {
    const page = await follow({ plays: false });
    await page.next("snapshot");
    const day = "9990-01-01"; // nobody else donates then
    const first = await donate({ skipAlert: true, amount: 1.5, createdAt: "9989-12-31T16:59:59.999Z" });
    await change({ goal: { title: "ไมค์", target: 100, from: day } });
    const before = await page.next("widgets", ({ goal }) => goal !== null);
    expect(before.goal).toMatchObject({ title: "ไมค์", target: 100 });
    await donate({ skipAlert: true, amount: 2.5, createdAt: "9989-12-31T17:00:00Z" });
    const after = await page.next("widgets", ({ totals }) => totals.all.count === before.totals.all.count + 1);
    expect((after.goal?.current ?? 0) - (before.goal?.current ?? 0)).toBe(2.5);
    expect(first.amount).toBe(1.5);
    await change({ goal: null });
    await page.next("widgets", ({ goal }) => goal === null);
  });

  test("test alerts change nothing in the widgets", async () => {
    const page = await follow({ plays: false });
    await page.next("snapshot");
    await sendTest({});
    await donate({ skipAlert: true, donatorName: "ของจริง", createdAt: latestCreatedAt() });
    const { recent } = await page.next("widgets", (widgets) => widgets.recent[0]?.donatorName === "ของจริง");
    expect(recent.map(({ donatorName }) => donatorName)).not.toContain("Namjai");
  });
});
