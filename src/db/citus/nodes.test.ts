import type { Knex } from "knex";
import { afterEach, expect, test, vi } from "vitest";
import { findNodes } from "./distributed.ts";

/** A coordinator that answers with these in turn: the number of a node, no row, or a failure. Counts how often it is asked. */
function coordinator(...answers: (number | null | Error)[]) {
  let asked = 0;
  const raw = async () => {
    const answer = answers[asked++];
    if (answer instanceof Error) throw answer;
    return { rows: answer === null ? [] : [{ groupid: answer }] };
  };
  return { knex: { raw } as unknown as Knex, asked: () => asked };
}

afterEach(() => void vi.useRealTimers());

test("a streamer's node is asked for once in ten minutes, also by two callers at once", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { knex, asked } = coordinator(3, 4);
  const nodeOf = findNodes(knex);
  expect(await Promise.all([nodeOf("a"), nodeOf("a")])).toEqual([3, 3]);
  vi.advanceTimersByTime(599_000);
  expect([await nodeOf("a"), asked()]).toEqual([3, 1]);
  vi.advanceTimersByTime(2_000);
  expect([await nodeOf("a"), asked()]).toEqual([4, 2]);
});

test("each streamer has a node of its own", async () => {
  const { knex, asked } = coordinator(3, 4);
  const nodeOf = findNodes(knex);
  expect([await nodeOf("a"), await nodeOf("b"), asked()]).toEqual([3, 4, 2]);
});

test("a failed look-up is null, and the next caller asks again", async () => {
  const { knex } = coordinator(new Error("connection refused"), 3);
  const nodeOf = findNodes(knex);
  expect([await nodeOf("a"), await nodeOf("a")]).toEqual([null, 3]);
});

test("a streamer whom no shard has is on no known node", async () => expect(await findNodes(coordinator(null).knex)("a")).toBeNull());
