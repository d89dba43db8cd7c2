// Several writers as one: a writer waits for its whole batch, so those of one node must not wait for another that is away.

import type { NodeOf } from "../../db/citus/nodes.ts";
import type { Writer } from "./writer.ts";

/** A streamer's donations always go to the same one of `count` writers of its node. */
export function poolWriters(nodeOf: NodeOf, count: number, make: () => Writer): Writer {
  const writers = new Map<string, Writer>();
  const asked = new Set<Promise<unknown>>();
  const writerOf = (node: number | null, streamerId: string): Writer => {
    const name = `${node} ${writerNumberOf(streamerId, count)}`;
    const writer = writers.get(name) ?? make();
    writers.set(name, writer);
    return writer;
  };
  const all = (work: (writer: Writer) => Promise<void>) => async () => {
    while (asked.size > 0) await Promise.all(asked);
    await Promise.all([...writers.values()].map(work));
  };
  return {
    record: async (donation) => {
      const node = nodeOf(donation.streamerId);
      asked.add(node);
      const found = await node;
      asked.delete(node);
      return writerOf(found, donation.streamerId).record(donation);
    },
    drain: all(({ drain }) => drain()),
    idle: all(({ idle }) => idle()),
    sinceLast: () => Math.min(...[...writers.values()].map(({ sinceLast }) => sinceLast())),
  };
}

/** By the last digits of the id, which are random. */
function writerNumberOf(streamerId: string, count: number): number {
  return Number.parseInt(streamerId.slice(-8), 16) % count;
}
