import { expect, test } from "vitest";
import { expectProblem } from "../../suite/client/api.ts";
import { clientOf, needsClients, newGrant } from "../../suite/client/oauth/oauth-client.ts";
import { addKey, addStreamerWithKeys, newStreamer } from "../../suite/client/operator.ts";
import {
  addedBy,
  adjustTimer,
  changeTimerRules,
  controlTimer,
  freshTimer,
  getTimer,
  secondPerBaht,
  startTimer,
  timerEvents,
  timerOf,
} from "../../suite/client/overlay/alert-controls.ts";
import { freshKey } from "../../suite/values/donations.ts";
import { operatorOf } from "../../suite/values/target.ts";

const [streamer, neverStarted] = [newStreamer(), newStreamer()];

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
  const { rules: _, asOf: __, ...times } = first;
  const [started, changed] = (await timerEvents({ key })).slice(-2);
  expect([started?.type, changed?.type]).toEqual(["timer.started", "timer.changed"]);
  expect(changed?.data).toEqual({ ...times, cause: "pause", changedMs: 0 });
});

test("a timer that does not run is not paused: timer_state_conflict", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  await controlTimer("end", { key });
  expectProblem(await controlTimer("pause", { key }), 409, "timer_state_conflict");
});

test("a resumed timer runs on with what was left; resuming it again has no effect", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const { remainingMs } = timerOf(await controlTimer("pause", { key }));
  const { asOf, rules: _, ...timer } = timerOf(await controlTimer("resume", { key }));
  expect(timer).toMatchObject({ status: "running", remainingMs, totalMs: 3_600_000 });
  expect(Date.parse(timer.endsAt ?? "") - Date.parse(asOf)).toBe(remainingMs);
  expect(timerOf(await controlTimer("resume", { key })).endsAt).toBe(timer.endsAt);
  expect((await timerEvents({ key })).slice(-2).map(({ data }) => data)).toEqual([
    expect.objectContaining({ cause: "pause" }),
    { ...timer, cause: "resume", changedMs: 0 },
  ]);
});

test("a timer that has ended is not resumed: timer_state_conflict", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  await controlTimer("end", { key });
  expectProblem(await controlTimer("resume", { key }), 409, "timer_state_conflict");
});

test("an adjustment adds or takes its seconds and is timer.changed", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const expected = [];
  for (const [seconds, total] of [
    [61, 3_661_000],
    [-600, 3_061_000],
  ] as const) {
    const { status, totalMs, endsAt, startedAt, rules } = timerOf(await adjustTimer({ seconds }, { key }));
    expect([totalMs, rules]).toEqual([total, secondPerBaht]);
    const data = { status, totalMs, endsAt, startedAt, cause: "adjustment", changedMs: 1_000 * seconds };
    expected.push({ type: "timer.changed", data });
  }
  expect((await timerEvents({ key })).slice(-2)).toMatchObject(expected);
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

test("an idempotency key belongs to its application: that of another one adjusts anew", async (context) => {
  const [operator, handle, scopes] = [
    operatorOf(context),
    `timer-${freshKey().slice(-6)}-${Date.now().toString(36)}`,
    "write:alerts read:alerts",
  ];
  const { key } = await addStreamerWithKeys(operator, handle, scopes);
  const other = await addKey(operator, handle, scopes, "another application");
  await freshTimer({ key });
  const body = { seconds: 60, idempotencyKey: freshKey() };
  await adjustTimer(body, { key });
  const reply = await adjustTimer(body, { key: other });
  expect([timerOf(reply).totalMs, reply.headers["idempotent-replayed"]]).toEqual([3_720_000, undefined]);
  expectProblem(await adjustTimer({ ...body, seconds: 61 }, { key: other }), 422, "idempotency_key_reused");
});

test("an idempotency key of an adjustment belongs to its streamer: the same client adjusts the timer of another one under it", async (context) => {
  operatorOf(context); // it starts the timers of streamers who are the suite's own
  needsClients(context);
  const body = { seconds: 60, idempotencyKey: freshKey() };
  for (const handle of ["main", "other"] as const) {
    const { access_token: key } = await newGrant(clientOf("confidential"), { handle });
    await freshTimer({ key });
    const reply = await adjustTimer(body, { key });
    expect([reply.status, reply.headers["idempotent-replayed"]]).toEqual([200, undefined]);
    await controlTimer("end", { key });
  }
});

test("an idempotency key of a donation is free for an adjustment", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const { idempotencyKey } = (await addedBy(10, { key }, { idempotencyKey: freshKey() })).one;
  const reply = await adjustTimer({ seconds: 60, idempotencyKey: idempotencyKey ?? "" }, { key });
  expect([timerOf(reply).totalMs, reply.headers["idempotent-replayed"]]).toEqual([3_670_000, undefined]);
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

test("an ended timer has nothing left and is timer.ended, once: ending it again has no effect", async (context) => {
  const key = streamer(context);
  await freshTimer({ key });
  const { remainingMs } = timerOf(await controlTimer("pause", { key }));
  const { asOf, rules: _, ...ended } = timerOf(await controlTimer("end", { key }));
  expect(ended).toMatchObject({ status: "ended", remainingMs: 0, totalMs: 3_600_000 - remainingMs, endsAt: null, endedAt: asOf });
  expect(timerOf(await controlTimer("end", { key }))).toMatchObject(ended);
  const [before, last] = (await timerEvents({ key })).slice(-2);
  expect(before?.type).toBe("timer.changed");
  expect(last).toMatchObject({ type: "timer.ended", data: { ...ended, cause: "end", changedMs: -remainingMs } });
});

test("a timer that was never started is not ended: timer_state_conflict", async (context) =>
  expectProblem(await controlTimer("end", { key: neverStarted(context) }), 409, "timer_state_conflict"));

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
