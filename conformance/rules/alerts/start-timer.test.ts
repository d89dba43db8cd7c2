import { expect, test } from "vitest";

import { expectProblem } from "../../suite/client/api.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import { controlTimer, freshTimer, getTimer, startTimer, timerEvents, timerOf } from "../../suite/client/timer.ts";

const streamer = newStreamer();

test("a started timer runs with its seconds and its rules, and is timer.started", async (context) => {
  const key = streamer(context);
  const rules = { steps: [{ from: 5, seconds: 7, per: null }], maximumSeconds: 9_000, countTests: true, countImports: true };
  await controlTimer("end", { key });
  const { asOf: _, ...timer } = timerOf(await startTimer({ seconds: 90, rules }, { key }));
  expect(timer).toMatchObject({ status: "running", remainingMs: 90_000, totalMs: 90_000, endedAt: null, rules });
  const { rules: __, ...times } = timer;
  expect((await timerEvents({ key })).at(-1)).toMatchObject({
    type: "timer.started",
    data: { ...times, cause: "start", changedMs: 90_000 },
  });
});

test("a timer that runs or is paused is not started again: timer_state_conflict, and nothing changes", async (context) => {
  const key = streamer(context);
  const { startedAt } = await freshTimer({ key });
  expectProblem(await startTimer({ seconds: 5, rules: { countTests: true } }, { key }), 409, "timer_state_conflict");
  await controlTimer("pause", { key });
  expectProblem(await startTimer({ seconds: 5 }, { key }), 409, "timer_state_conflict");
  expect(timerOf(await getTimer({ key }))).toMatchObject({ status: "paused", startedAt, totalMs: 3_600_000, rules: { countTests: false } });
});

test("a start keeps the rules that it does not name", async (context) => {
  const key = streamer(context);
  await freshTimer({ key }, { maximumSeconds: 5_000, countTests: true });
  await controlTimer("end", { key });
  const { rules } = timerOf(await startTimer({ seconds: 10, rules: { countTests: false } }, { key }));
  expect(rules).toMatchObject({ maximumSeconds: 5_000, countTests: false });
});

test("a timer that runs out is timer.ended once, at the moment when it had nothing left", async (context) => {
  const key = streamer(context);
  await controlTimer("end", { key });
  const { endsAt, startedAt } = timerOf(await startTimer({ seconds: 1 }, { key }));
  const endings = async () =>
    (await timerEvents({ key })).filter(({ data }) => "startedAt" in data && data.startedAt === startedAt).slice(1);
  await expect.poll(async () => (await endings()).length, { timeout: 60_000, interval: 250 }).toBe(1);
  expect(timerOf(await getTimer({ key }))).toMatchObject({
    status: "ended",
    endedAt: endsAt,
    remainingMs: 0,
    totalMs: 1_000,
    endsAt: null,
  });
  expect(await endings()).toMatchObject([
    { type: "timer.ended", timestamp: endsAt, data: { endedAt: endsAt, cause: "time", changedMs: 0 } },
  ]);
});
