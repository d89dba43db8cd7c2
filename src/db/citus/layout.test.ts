import type { Knex } from "knex";
import { afterEach, expect, test, vi } from "vitest";
import { eachPart, findNodes } from "./layout.ts";

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

/** A distributed database whose first node has streamer a, and whose second one has b. */
const knex = {
  userParams: { traits: { layout: "onNodes" } },
  raw: async () => ({ rows: [{ ids: ["a"] }, { ids: ["b"] }] }),
} as unknown as Knex;

const away = Object.assign(new Error("connection refused"), { code: "08006" });

test("rows of a node that is away are missing, and the others are there", async () => {
  const work = async (ids: readonly string[]) => (ids.includes("a") ? Promise.reject(away) : [...ids]);
  expect(await eachPart(knex, ["a", "b"], work)).toEqual(["b"]);
});

test("when every node is away, the failure is that of the database", () =>
  expect(eachPart(knex, ["a", "b"], () => Promise.reject(away))).rejects.toBe(away));

test.each<[string, () => Promise<string[]>]>([
  ["answers", async () => ["b"]],
  ["is away", () => Promise.reject(away)],
])("another failure of one node is a failure of all, also when the other node %s", (_, other) => {
  const refused = Object.assign(new Error("syntax error"), { code: "42601" });
  return expect(eachPart(knex, ["a", "b"], (ids) => (ids.includes("b") ? Promise.reject(refused) : other()))).rejects.toBe(refused);
});

test("without streamers no node is asked", async () => {
  expect(await eachPart(knex, [], () => Promise.reject(away))).toEqual([]);
});

test("on a single node, all streamers are asked for at once, and Citus is not asked where they are", async () => {
  const single = { userParams: {}, raw: () => Promise.reject(new Error("function does not exist")) } as unknown as Knex;
  const asked: (readonly string[])[] = [];
  const work = async (ids: readonly string[]) => [asked.push(ids)];
  expect(await eachPart(single, ["a", "b"], work)).toEqual([1]);
  expect(asked).toEqual([["a", "b"]]);
});
