import { expect, test } from "vitest";

import { expectProblem } from "../../suite/client/api.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import { adjustTimer, controlTimer, freshTimer, getTimer, timerEvents, timerOf } from "../../suite/client/timer.ts";
import { freshKey } from "../../suite/values/donations.ts";

const streamer = newStreamer();

test("an adjustment adds or takes its seconds and is timer.changed", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  expect(timerOf(await adjustTimer({ seconds: 61 }, { key })).totalMs).toBe(3_661_000);
  expect(timerOf(await adjustTimer({ seconds: -600 }, { key })).totalMs).toBe(3_061_000);
  const events = (await timerEvents({ key }))
    .slice(-2)
    .map(({ type, data }) => [type, "cause" in data && data.cause, "changedMs" in data && data.changedMs]);
  expect(events).toEqual([
    ["timer.changed", "adjustment", 61_000],
    ["timer.changed", "adjustment", -600_000],
  ]);
});

test("an adjustment adds no more than the maximum leaves room for", async (context) => {
  const key = streamer(context);
  await freshTimer({ key }, { maximumSeconds: 3_700 });
  for (const totalMs of [3_700_000, 3_700_000]) expect(timerOf(await adjustTimer({ seconds: 900 }, { key }))).toMatchObject({ totalMs });
});

test("an adjustment that takes all that is left ends the timer", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  expect(timerOf(await adjustTimer({ seconds: -3_600 }, { key }))).toMatchObject({ status: "ended", remainingMs: 0 });
  expect((await timerEvents({ key })).at(-1)).toMatchObject({ type: "timer.ended", data: { cause: "adjustment" } });
});

test("a repeated idempotency key adjusts once, also when the timer has ended meanwhile: Idempotent-Replayed", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const body = { seconds: 60, idempotencyKey: freshKey() };
  const [first, second] = [await adjustTimer(body, { key }), await adjustTimer(body, { key })];
  expect([first, second].map(({ headers }) => headers["idempotent-replayed"])).toEqual([undefined, "true"]);
  expect([first, second].map((reply) => timerOf(reply).totalMs)).toEqual([3_660_000, 3_660_000]);
  await controlTimer("end", { key });
  expect(timerOf(await adjustTimer(body, { key })).status).toBe("ended");
});

test("requests with one idempotency key that are sent at once adjust once", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const body = { seconds: 60, idempotencyKey: freshKey() };
  await Promise.all([1, 2, 3].map(() => adjustTimer(body, { key })));
  expect(timerOf(await getTimer({ key })).totalMs).toBe(3_660_000);
});

test("an idempotency key with other seconds is refused: idempotency_key_reused", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const idempotencyKey = freshKey();
  await adjustTimer({ seconds: 60, idempotencyKey }, { key });
  expectProblem(await adjustTimer({ seconds: 61, idempotencyKey }, { key }), 422, "idempotency_key_reused");
  expect(timerOf(await getTimer({ key })).totalMs).toBe(3_660_000);
});

test("a timer that has ended is not adjusted: timer_state_conflict, and the idempotency key stays free", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  await controlTimer("end", { key });
  const body = { seconds: 60, idempotencyKey: freshKey() };
  expectProblem(await adjustTimer(body, { key }), 409, "timer_state_conflict");
  await freshTimer({ key });
  expect(timerOf(await adjustTimer(body, { key })).totalMs).toBe(3_660_000);
});
