import { expect, test } from "vitest";

import { expectProblem } from "../../suite/client/api.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import { controlTimer, freshTimer, timerEvents, timerOf } from "../../suite/client/timer.ts";

const streamer = newStreamer();

test("a resumed timer runs on with what was left; resuming it again has no effect", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const { remainingMs } = timerOf(await controlTimer("pause", { key }));
  const { asOf, ...timer } = timerOf(await controlTimer("resume", { key }));
  expect(timer).toMatchObject({ status: "running", remainingMs, totalMs: 3_600_000 });
  expect(Date.parse(timer.endsAt ?? "") - Date.parse(asOf)).toBe(remainingMs);
  expect(timerOf(await controlTimer("resume", { key })).endsAt).toBe(timer.endsAt);
  expect((await timerEvents({ key })).slice(-2)).toMatchObject([
    { data: { cause: "pause" } },
    { data: { cause: "resume", status: "running" } },
  ]);
});

test("a timer that has ended is not resumed: timer_state_conflict", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  await controlTimer("end", { key });
  expectProblem(await controlTimer("resume", { key }), 409, "timer_state_conflict");
});
