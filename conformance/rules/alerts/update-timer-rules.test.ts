import { expect, test } from "vitest";

import { newStreamer } from "../../suite/client/operator.ts";
import {
  addedBy,
  changeTimerRules,
  controlTimer,
  freshTimer,
  getTimer,
  secondPerBaht,
  timerEvents,
  timerOf,
} from "../../suite/client/timer.ts";

const streamer = newStreamer();

test("changed rules hold from now on: what donations have added stays", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  await addedBy(10, { key });
  const { rules, totalMs } = timerOf(await changeTimerRules({ steps: [{ from: 0, seconds: 30 }] }, { key }));
  expect({ rules, totalMs }).toEqual({ rules: { ...secondPerBaht, steps: [{ from: 0, seconds: 30, per: null }] }, totalMs: 3_610_000 });
  expect((await addedBy(10, { key })).addedMs).toBe(30_000);
  expect((await timerEvents({ key })).some(({ data }) => "cause" in data && data.cause === "rules")).toBe(true);
});

test("a maximum below what the timer has takes nothing, and lets nothing be added", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  expect(timerOf(await changeTimerRules({ maximumSeconds: 60 }, { key })).totalMs).toBe(3_600_000);
  expect((await addedBy(10, { key })).addedMs).toBe(0);
});

test("without steps donations add nothing; a maximum of null is none", async (context) => {
  const key = streamer(context);
  await freshTimer({ key }, { maximumSeconds: 3_600 });
  await changeTimerRules({ steps: [] }, { key });
  expect((await addedBy(10, { key })).addedMs).toBe(0);
  await changeTimerRules({ steps: secondPerBaht.steps, maximumSeconds: null }, { key });
  expect((await addedBy(10, { key })).addedMs).toBe(10_000);
});

test("a change of the rules of an ended timer is timer.changed, and no second end", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  await controlTimer("end", { key });
  await changeTimerRules({ countTests: true }, { key });
  const data = { status: "ended", cause: "rules", changedMs: 0 };
  expect((await timerEvents({ key })).slice(-2)).toMatchObject([{ type: "timer.ended" }, { type: "timer.changed", data }]);
});

test("rules that are not changed are no event", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  await changeTimerRules(secondPerBaht, { key });
  expect((await timerEvents({ key })).at(-1)).toMatchObject({ type: "timer.started" });
  expect(timerOf(await getTimer({ key })).rules).toEqual(secondPerBaht);
});
