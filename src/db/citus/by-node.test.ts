import type { Knex } from "knex";
import { expect, test } from "vitest";
import { byNode } from "./distributed.ts";

/** A distributed database whose first node has streamer a, and whose second one has b. */
const knex = {
  userParams: { traits: { isDistributed: true } },
  raw: async () => ({ rows: [{ ids: ["a"] }, { ids: ["b"] }] }),
} as unknown as Knex;

const away = Object.assign(new Error("connection refused"), { code: "08006" });

test("rows of a node that is away are missing, and the others are there", async () => {
  const work = async (ids: readonly string[]) => (ids.includes("a") ? Promise.reject(away) : [...ids]);
  expect(await byNode(knex, ["a", "b"], work)).toEqual(["b"]);
});

test("when every node is away, the failure is that of the database", () =>
  expect(byNode(knex, ["a", "b"], () => Promise.reject(away))).rejects.toBe(away));

test.each<[string, () => Promise<string[]>]>([
  ["answers", async () => ["b"]],
  ["is away", () => Promise.reject(away)],
])("another failure of one node is a failure of all, also when the other node %s", (_, other) => {
  const refused = Object.assign(new Error("syntax error"), { code: "42601" });
  return expect(byNode(knex, ["a", "b"], (ids) => (ids.includes("b") ? Promise.reject(refused) : other()))).rejects.toBe(refused);
});

test("without streamers no node is asked", async () => {
  expect(await byNode(knex, [], () => Promise.reject(away))).toEqual([]);
});

test("on a single node, all streamers are asked for at once, and Citus is not asked where they are", async () => {
  const single = { userParams: {}, raw: () => Promise.reject(new Error("function does not exist")) } as unknown as Knex;
  const asked: (readonly string[])[] = [];
  const work = async (ids: readonly string[]) => [asked.push(ids)];
  expect(await byNode(single, ["a", "b"], work)).toEqual([1]);
  expect(asked).toEqual([["a", "b"]]);
});
