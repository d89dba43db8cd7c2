import { expect, test } from "vitest";
import type { NewDonation } from "../donation.ts";
import { someDonation } from "../testing.ts";
import { poolWriters, type Writer } from "./writer.ts";

/** Streamers whose ids differ in the last digit. */
const streamer = (digit: number): string => `01a20961-62d7-72ac-94c8-90705292820${digit}`;
const [away, here] = [streamer(0), streamer(1)];

type FakeWriter = Writer & { donations: NewDonation[]; isIdle: boolean };

/** Records one donation after the other, each in a turn of the event loop; those of the streamer that is away wait for ever. */
function fakeWriter(since = Number.POSITIVE_INFINITY): FakeWriter {
  let last: Promise<unknown> = Promise.resolve();
  const fake: FakeWriter = {
    donations: [],
    isIdle: false,
    record: (donation) => {
      last = last.then(nextTurn).then(() => (donation.streamerId === away ? new Promise(() => {}) : fake.donations.push(donation)));
      return last as never;
    },
    drain: async () => void (await last),
    idle: async () => {
      await last;
      fake.isIdle = true;
    },
    sinceLast: () => since,
  };
  return fake;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The writers that are made, and what makes them. */
function madeWriters(make: (number: number) => FakeWriter = () => fakeWriter()) {
  const made: FakeWriter[] = [];
  return { made, make: () => made[made.push(make(made.length)) - 1] as Writer };
}

test("a donation whose node is away keeps no donation of another node waiting", async () => {
  const { made, make } = madeWriters();
  const writer = poolWriters(async (streamerId) => (streamerId === away ? 1 : 2), 1, make);
  void writer.record(someDonation(away));
  await writer.record(someDonation(here));
  expect(made.map(({ donations }) => donations.length)).toEqual([0, 1]);
});

test("a streamer's donations go to one writer, and the streamers of a node are spread over as many as it has", async () => {
  const { made, make } = madeWriters();
  const writer = poolWriters(async () => 2, 4, make);
  const streamers = [1, 2, 3, 4, 5, 6, 7, 8].map(streamer);
  for (let turn = 0; turn < 3; turn += 1) await Promise.all(streamers.map((id) => writer.record(someDonation(id))));
  expect(made).toHaveLength(4);
  const writersOf = (id: string) => made.filter(({ donations }) => donations.some(({ streamerId }) => streamerId === id)).length;
  expect(streamers.map(writersOf)).toEqual(streamers.map(() => 1));
});

test.each(["drain", "idle"] as const)("%s waits for donations whose node is still being looked up", async (wait) => {
  const { made, make } = madeWriters();
  const node = Promise.withResolvers<number>();
  const writer = poolWriters(() => node.promise, 1, make);
  void writer.record(someDonation(here));
  let isOver = false;
  const waiting = writer[wait]().then(() => (isOver = true));
  await nextTurn();
  expect(isOver).toBe(false);
  node.resolve(2);
  await waiting;
  expect(made.map(({ donations, isIdle }) => [donations.length, isIdle])).toEqual([[1, wait === "idle"]]);
});

test("drain waits for the writers of all nodes", async () => {
  const { made, make } = madeWriters();
  const writer = poolWriters(async (streamerId) => Number(streamerId.at(-1)), 1, make);
  for (const digit of [1, 2, 3]) void writer.record(someDonation(streamer(digit)));
  await writer.drain();
  expect(made.map(({ donations }) => donations.length)).toEqual([1, 1, 1]);
});

test("the time since the last donation is the shortest of all writers, and infinite before the first donation", async () => {
  const { make } = madeWriters((number) => fakeWriter([300, 100, 200][number]));
  const writer = poolWriters(async (streamerId) => Number(streamerId.at(-1)), 1, make);
  expect(writer.sinceLast()).toBe(Number.POSITIVE_INFINITY);
  for (const digit of [1, 2, 3]) await writer.record(someDonation(streamer(digit)));
  expect(writer.sinceLast()).toBe(100);
});

test("a streamer whose node is unknown has a writer as well", async () => {
  const { made, make } = madeWriters();
  const writer = poolWriters(async () => null, 4, make);
  await writer.record(someDonation(here));
  expect(made.map(({ donations }) => donations.length)).toEqual([1]);
});
