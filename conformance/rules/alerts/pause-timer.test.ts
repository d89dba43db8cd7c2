import { expect, test } from "vitest";

import { expectProblem } from "../../suite/client/api.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import { addedBy, controlTimer, freshTimer, getTimer, timerEvents, timerOf } from "../../suite/client/timer.ts";

const streamer = newStreamer();

test("a paused timer stands still, and donations add time", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const paused = timerOf(await controlTimer("pause", { key }));
  expect(paused).toMatchObject({ status: "paused", endsAt: null, totalMs: 3_600_000 });
  expect((await addedBy(30, { key })).addedMs).toBe(30_000);
  expect(timerOf(await getTimer({ key })).remainingMs).toBe(paused.remainingMs + 30_000);
});

test("a timer that is paused is timer.changed; pausing it again has no effect", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const first = timerOf(await controlTimer("pause", { key }));
  const again = timerOf(await controlTimer("pause", { key }));
  expect({ ...again, asOf: first.asOf }).toEqual(first);
  const data = { status: "paused", remainingMs: first.remainingMs, cause: "pause", changedMs: 0 };
  expect((await timerEvents({ key })).slice(-2)).toMatchObject([{ type: "timer.started" }, { type: "timer.changed", data }]);
});

test("a timer that does not run is not paused: timer_state_conflict", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  await controlTimer("end", { key });
  expectProblem(await controlTimer("pause", { key }), 409, "timer_state_conflict");
});
