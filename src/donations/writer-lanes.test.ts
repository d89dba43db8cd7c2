import { expect, test } from "vitest";
import type { NewDonation } from "./donation.ts";
import { someDonation } from "./testing.ts";
import type { Writer } from "./writer.ts";
import { inLanes } from "./writer-lanes.ts";

const [away, here] = ["01a20961-62d7-72ac-94c8-907052928200", "01a20961-62d7-72ac-94c8-907052928201"];

/** Records one donation after the other; those of the streamer that is away wait for ever. */
function writerInOrder(recorded: string[]): Writer {
  let last: Promise<unknown> = Promise.resolve();
  return {
    record: ({ streamerId, message }: NewDonation) => {
      last = last.then(() => (streamerId === away ? new Promise(() => {}) : recorded.push(message)));
      return last as never;
    },
    drain: async () => void (await last),
    idle: async () => void (await last),
    sinceLast: () => Number.POSITIVE_INFINITY,
  };
}

test("streamers of one node do not wait for another node, and drain waits for donations whose node is being looked up", async () => {
  const recorded: string[] = [];
  const nodeOf = async (streamerId: string) => (streamerId === away ? 1 : 2);
  const writer = inLanes(nodeOf, 1, () => writerInOrder(recorded));
  void writer.record(someDonation(away));
  await writer.record(someDonation(here, { message: "first" }));
  expect(recorded).toEqual(["first"]);
  const others = inLanes(nodeOf, 1, () => writerInOrder(recorded));
  void others.record(someDonation(here, { message: "second" }));
  await others.drain();
  expect(recorded).toEqual(["first", "second"]);
});

test("a streamer whose node is unknown has a lane as well", async () => {
  const recorded: string[] = [];
  const writer = inLanes(
    async () => null,
    4,
    () => writerInOrder(recorded),
  );
  await writer.record(someDonation(here, { message: "any" }));
  expect([recorded, writer.sinceLast()]).toEqual([["any"], Number.POSITIVE_INFINITY]);
});
