import { afterEach, describe, expect, test } from "vitest";

import type { components } from "../../../generated/api.d.ts";
import { expectNow, takeBack } from "../../suite/client/api.ts";
import { importAll } from "../../suite/client/imports.ts";
import { addStreamerWithKeys, newStreamer, undoImport } from "../../suite/client/operator.ts";
import {
  addedBy,
  adjustTimer,
  changeTimerRules,
  controlTimer,
  freshTimer,
  getTimer,
  secondPerBaht,
  sendTest,
  startTimer,
  timerEvents,
  timerOf,
} from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow } from "../../suite/client/overlay/overlay-page.ts";
import { scopes } from "../../suite/contract/scopes.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { operatorOf } from "../../suite/values/target.ts";

const streamer = newStreamer();
afterEach(() => closePages());

test("a timer that was never started is off, with nothing left, and has rules", async (context) => {
  const reply = await getTimer({ key: neverStarted(context) });
  const { asOf, rules, ...times } = timerOf(reply);
  expect(times).toEqual({ status: "off", remainingMs: 0, totalMs: 0, endsAt: null, startedAt: null, endedAt: null });
  expect(rules).toEqual({ steps: [{ from: 0, seconds: 60, per: 100 }], maximumSeconds: null, countTests: false, countImports: false });
  expectNow(asOf, reply);
});

const neverStarted = newStreamer();

test("a timer that runs was started now, and has its end, and what is left until then", async (context) => {
  const key = streamer(context);
  const { startedAt: begun } = await freshTimer({ key });
  const reply = await getTimer({ key });
  const { status, remainingMs, totalMs, startedAt, endsAt, asOf } = timerOf(reply);
  expectNow(begun, reply);
  expect({ status, totalMs, startedAt, endsAt }).toEqual({
    ...{ status: "running", totalMs: 3_600_000, startedAt: begun },
    endsAt: later(begun, 3_600_000),
  });
  expect(remainingMs).toBe(Date.parse(endsAt ?? "") - Date.parse(asOf));
});

test("widgets tell what the timer does, its end and what is left: nothing before its first start, and each change at once", async (context) => {
  const handle = `timer-${crypto.randomUUID().slice(0, 8)}`;
  const { key, overlayKey } = await addStreamerWithKeys(operatorOf(context), handle, scopes.join(" "));
  const page = await follow({ key: overlayKey, plays: false });
  const told = async (expected: string) => (await page.next("widgets", ({ timer }) => timer?.status === expected)).timer;
  expect((await page.next("snapshot")).widgets.timer).toBeNull();

  const began = performance.now();
  const { endsAt } = timerOf(await startTimer({ seconds: 3_600 }, { key }));
  const { remainingMs = 0, ...running } = (await told("running")) ?? {};
  expect(running).toEqual({ status: "running", endsAt });
  // What is left by the clock of the timer, which this one and the server's need not be.
  expect(Math.abs(remainingMs - 3_600_000), "milliseconds").toBeLessThan(performance.now() - began + 10_000);

  for (const [step, status] of [
    ["pause", "paused"],
    ["end", "ended"],
  ] as const) {
    const stopped = { status, remainingMs: timerOf(await controlTimer(step, { key })).remainingMs, endsAt: null };
    expect(await told(status)).toEqual(stopped);
    const another = await follow({ key: overlayKey, plays: false });
    expect((await another.next("snapshot")).widgets.timer).toEqual(stopped);
  }
});

test.for<[string, (options: object) => Promise<{ status: number }>]>([
  ["rules", (options) => changeTimerRules({ countTests: true, maximumSeconds: "60" }, options)],
  ["a start", (options) => startTimer({ seconds: 60, unknown: 1 }, options)],
  ["an adjustment", (options) => adjustTimer({ seconds: 60, unknown: 1 }, options)],
])("a request for %s of a timer that breaks a rule of its body is refused and changes nothing", async ([, ask], context) => {
  const key = streamer(context);
  const { remainingMs: _, asOf: __, ...before } = await freshTimer({ key });
  expect((await ask({ key })).status).toBe(400);
  expect(timerOf(await getTimer({ key }))).toMatchObject(before);
});

const later = (instant: string | null, ms: number): string => new Date(Date.parse(instant ?? "") + ms).toISOString();

describe("donations", () => {
  test("a donation at a second for every baht adds whole milliseconds, exactly and at once", async (context) => {
    const key = streamer(context);
    await freshTimer({ key });
    for (const [amount, ms] of [
      [0.29, 290],
      [123.45, 123_450],
      [0.0009, 0],
      [1_000, 1_000_000],
    ] as const)
      expect([amount, (await addedBy(amount, { key })).addedMs]).toEqual([amount, ms]);
  });

  test("the highest step that the amount reaches counts, for every so many baht or once", async (context) => {
    const key = streamer(context);
    const steps = [
      { from: 500, seconds: 600 },
      { from: 20, seconds: 60, per: 100 },
      { from: 0.5, seconds: 2 },
      { from: 500, seconds: 900 },
    ];
    await freshTimer({ key }, { steps });
    for (const [amount, ms] of [
      [0.49, 0],
      [0.5, 2_000],
      [19.99, 2_000],
      [20, 12_000],
      [150, 90_000],
      [499.99, 299_994],
      [500, 900_000],
      [5_000, 900_000],
    ] as const)
      expect([amount, (await addedBy(amount, { key })).addedMs]).toEqual([amount, ms]);
  });

  test("a donation with an alert adds as much as one without", async (context) => {
    const key = streamer(context);
    await freshTimer({ key });
    expect((await addedBy(7, { key }, { skipAlert: false })).addedMs).toBe(7_000);
  });

  test("test donations add nothing unless the rules count them", async (context) => {
    const key = streamer(context);
    await freshTimer({ key });
    const totals: number[] = [];
    for (const countTests of [false, true]) {
      await changeTimerRules({ countTests }, { key });
      expect((await sendTest({ amount: 50 }, { key })).status).toBe(201);
      totals.push(timerOf(await getTimer({ key })).totalMs);
    }
    expect(totals).toEqual([3_600_000, 3_650_000]);
  });

  test("imported donations add nothing unless the rules count them; an undo takes that back", async (context) => {
    const operator = { ...operatorOf(context), handle: `suite-${crypto.randomUUID().slice(0, 8)}` };
    const { key } = await addStreamerWithKeys(operator, operator.handle, scopes.join(" "));
    await freshTimer({ key });
    const imported = async () => {
      const importId = crypto.randomUUID();
      await importAll("JSON", [donation({ amount: 50, idempotencyKey: freshKey(), skipAlert: true })], { importId, key });
      return importId;
    };
    const total = async () => timerOf(await getTimer({ key })).totalMs;
    await imported();
    expect(await total()).toBe(3_600_000);
    await changeTimerRules({ countImports: true }, { key });
    const importId = await imported();
    expect(await total()).toBe(3_650_000);
    expect(await undoImport(operator, importId)).toBe(1);
    expect(await total()).toBe(3_600_000);
  });

  test("a donation after the end adds nothing, and takes no end back", async (context) => {
    const key = streamer(context);
    await freshTimer({ key });
    const { endedAt } = timerOf(await controlTimer("end", { key }));
    expect((await addedBy(100, { key })).addedMs).toBe(0);
    expect(timerOf(await getTimer({ key }))).toMatchObject({ status: "ended", remainingMs: 0, endedAt });
  });
});

type Told = components["schemas"]["TimerEventData"];

/** Servers tell together what many donations have added. */
const patience = { timeout: 60_000, interval: 50 };

test("what donations add and voids take back is timer.changed, in one event or several, with the cause donations", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const { one } = await addedBy(10, { key });
  await addedBy(5.5, { key });
  const told = async () => {
    const all = await timerEvents({ key });
    const since = all
      .slice(all.findLastIndex(({ type }) => type === "timer.started") + 1)
      .map(({ type, data }) => ({ type, ...(data as Told) }));
    expect(since.filter(({ type, cause }) => type !== "timer.changed" || cause !== "donations")).toEqual([]);
    return [since.reduce((sum, { changedMs }) => sum + changedMs, 0), since.at(-1)?.totalMs];
  };
  await expect.poll(told, patience).toEqual([15_500, 3_615_500]);
  await takeBack(one, "refund", { key });
  await expect.poll(told, patience).toEqual([5_500, 3_605_500]);
});

describe("voids", () => {
  test("a void takes back what its donation added, also when the rules have changed since", async (context) => {
    const key = streamer(context);
    await freshTimer({ key });
    const { one } = await addedBy(100, { key });
    await changeTimerRules({ steps: [{ from: 0, seconds: 5, per: 1 }] }, { key });
    await takeBack(one, "refund", { key });
    expect(timerOf(await getTimer({ key })).totalMs).toBe(3_600_000);
  });

  test("a void takes back only what the maximum let its donation add, and then there is room again", async (context) => {
    const key = streamer(context);
    await freshTimer({ key }, { maximumSeconds: 3_610 });
    const { one, addedMs } = await addedBy(100, { key });
    expect([addedMs, (await addedBy(5, { key })).addedMs]).toEqual([10_000, 0]);
    await takeBack(one, "refund", { key });
    expect(timerOf(await getTimer({ key })).totalMs).toBe(3_600_000);
    expect((await addedBy(4, { key })).addedMs).toBe(4_000);
  });

  test("a void of a donation from before the start takes nothing", async (context) => {
    const key = streamer(context);
    await freshTimer({ key });
    const { one } = await addedBy(100, { key });
    await freshTimer({ key });
    await takeBack(one, "refund", { key });
    expect(timerOf(await getTimer({ key })).totalMs).toBe(3_600_000);
  });

  test("a timer from which a void takes all that is left is ended", async (context) => {
    const key = streamer(context);
    await freshTimer({ key }, secondPerBaht, 3_600);
    const { one } = await addedBy(1_000_000, { key });
    await controlTimer("pause", { key });
    const { remainingMs } = timerOf(await getTimer({ key }));
    expect(remainingMs).toBeGreaterThan(1_000_000_000);
    await adjustTimer({ seconds: -3_600 }, { key });
    await takeBack(one, "refund", { key });
    expect(timerOf(await getTimer({ key }))).toMatchObject({ status: "ended", remainingMs: 0 });
  });
});
