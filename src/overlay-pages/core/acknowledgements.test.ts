import { beforeEach, expect, test } from "vitest";
import { type Acknowledgements, makeAcknowledgements } from "./acknowledgements.ts";
import { type FakeClock, fakeClock, settle } from "./testing.ts";

let clock: FakeClock;
let sent: string[];
let answered: string[];
let answer: (status: number) => Promise<void>;
let acknowledgements: Acknowledgements;

beforeEach(() => {
  clock = fakeClock();
  sent = [];
  answered = [];
  acknowledgements = makeAcknowledgements({
    send: ({ playbackId, step }) => {
      sent.push(`${playbackId} ${step}`);
      return new Promise((resolve) => {
        answer = async (status) => {
          resolve(status);
          await settle();
        };
      });
    },
    clock,
    random: () => 1,
    onAnswer: ({ playbackId, step }, status) => answered.push(`${playbackId} ${step} ${status}`),
  });
});

const add = (playbackId: string, step: "started" | "ended") => acknowledgements.add({ playbackId, step });

test("acknowledgements are sent one after the other, and one that waits already is not added again", async () => {
  add("a", "started");
  add("a", "ended");
  add("a", "ended");
  add("b", "started");
  expect(sent).toEqual(["a started"]);
  await answer(200);
  await answer(409);
  await answer(200);
  expect(sent).toEqual(["a started", "a ended", "b started"]);
  expect(answered).toEqual(["a started 200", "a ended 409", "b started 200"]);
});

test("an acknowledgement that is being sent may be added again, because its order of arrival is unknown", async () => {
  add("a", "ended");
  acknowledgements.forget("a");
  add("a", "started");
  add("a", "ended");
  for (let count = 0; count < 3; count += 1) await answer(200);
  expect(sent).toEqual(["a ended", "a started", "a ended"]);
});

test("forget drops the waiting acknowledgements of one playback, and not those of others", async () => {
  add("a", "ended");
  await answer(503);
  add("b", "started");
  acknowledgements.forget("a");
  await clock.advance(20_000);
  expect(sent).toEqual(["a ended", "b started"]);
});

test("the delay grows with each failed acknowledgement, and retryNow ends it", async () => {
  add("a", "started");
  for (const wait of [300, 600, 1_200]) {
    await answer(500);
    await clock.advance(wait - 1);
    const before = sent.length;
    await clock.advance(1);
    expect(sent.length).toBe(before + 1);
  }
  await answer(500);
  acknowledgements.retryNow();
  expect(sent.length).toBe(5);
  acknowledgements.retryNow();
  expect(sent.length, "one at a time").toBe(5);
});
