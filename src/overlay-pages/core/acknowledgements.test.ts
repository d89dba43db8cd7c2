import { beforeEach, expect, test } from "vitest";
import { type Acknowledgements, makeAcknowledgements, makeUnsentEnds, storedName } from "./acknowledgements.ts";
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

function storage(text: string | null = null) {
  const kept = { text, read: () => kept.text, write: (newer: string) => void (kept.text = newer) };
  return kept;
}

test("an end that was not settled is listed by the next page of this browser, and a settled one is not", () => {
  const kept = storage();
  const first = makeUnsentEnds(kept);
  for (const id of ["a", "b", "b", "c"]) first.add(id);
  first.settle("b");
  first.settle("never seen");
  expect([first.list(), makeUnsentEnds(kept).list()]).toEqual([
    ["a", "c"],
    ["a", "c"],
  ]);
});

test("two pages of one browser share their ends", () => {
  const kept = storage();
  const [one, other] = [makeUnsentEnds(kept), makeUnsentEnds(kept)];
  one.add("a");
  other.add("b");
  one.settle("a");
  other.settle("a");
  expect([one.list(), other.list()]).toEqual([["b"], ["b"]]);
});

test("without storage, ends are kept as long as the page", () => {
  const unsettled = makeUnsentEnds({ read: () => null, write: () => {} });
  unsettled.add("a");
  unsettled.add("b");
  unsettled.settle("a");
  expect(unsettled.list()).toEqual(["b"]);
});

test("only the last 50 ends are stored", () => {
  const kept = storage();
  const unsettled = makeUnsentEnds(kept);
  for (let count = 1; count <= 60; count += 1) unsettled.add(`${count}`);
  expect([makeUnsentEnds(kept).list().length, makeUnsentEnds(kept).list()[0]]).toEqual([50, "11"]);
});

test.each([null, "", "{", "{}", "null", "[1, null]"])("%j in the storage is read as no ends", (text) =>
  expect(makeUnsentEnds(storage(text)).list()).toEqual([]),
);

test("each key has its own storage name, from which the key cannot be read", () => {
  const key = "namjai_o1_Kq8ZtB3nVw5YrM1xPd7LsHg2Fj4Cb6Ne";
  expect(storedName("unsettled", key)).toMatch(/^overlay\.unsettled\.[0-9a-f]{1,8}$/);
  expect(storedName("unsettled", `${key}x`)).not.toBe(storedName("unsettled", key));
});
