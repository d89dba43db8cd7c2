import { expect, test } from "vitest";

import { expectProblem } from "../../suite/client/api.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import { controlTimer, freshTimer, timerEvents, timerOf } from "../../suite/client/timer.ts";

const [streamer, neverStarted] = [newStreamer(), newStreamer()];

test("an ended timer has nothing left and is timer.ended, once: ending it again has no effect", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const { remainingMs } = timerOf(await controlTimer("pause", { key }));
  const { asOf, ...ended } = timerOf(await controlTimer("end", { key }));
  expect(ended).toMatchObject({ status: "ended", remainingMs: 0, totalMs: 3_600_000 - remainingMs, endsAt: null, endedAt: asOf });
  expect(timerOf(await controlTimer("end", { key }))).toMatchObject(ended);
  const [before, last] = (await timerEvents({ key })).slice(-2);
  expect(before?.type).toBe("timer.changed");
  expect(last).toMatchObject({ type: "timer.ended", data: { status: "ended", cause: "end", changedMs: -remainingMs } });
});

test("a timer that was never started is not ended: timer_state_conflict", async (context) =>
  expectProblem(await controlTimer("end", { key: neverStarted(context) }), 409, "timer_state_conflict"));
