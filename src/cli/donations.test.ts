import type { Knex } from "knex";
import { expect, test, vi } from "vitest";
import { findVoidNotes } from "../corrections/void-donations.ts";
import type { Database } from "../db/database.ts";
import { useDatabase } from "../db/testing.ts";
import { streamerStore } from "../donations/streamers.ts";
import { runCommand } from "./testing.ts";

vi.setConfig({ testTimeout: 60_000 });

let database: Database;
let streamerId: string;

useDatabase(async (opened) => {
  database = opened;
  const streamers = streamerStore(database.knex);
  streamerId = (await streamers.create("somchai")).id;
  await streamers.create("malee");
});

type Printed = { id: string; voided: unknown; alert: unknown };

const cli = (...args: string[]) => runCommand(database, "donations", ...args);
const add = async () => (await cli("add", "--streamer", "somchai", "--source", "native", "--name", "Ann", "--amount", "20")) as Printed;
const voidOf = (id: string, ...args: string[]) => cli("void", "--streamer", "somchai", ...args, id);

test("donations void prints the donation as it was, void, stores the note, ends its alert, and answers the same again", async () => {
  const one = await add();
  const voided = await voidOf(one.id, "--reason", "chargeback", "--note", "Case 4711");
  expect(voided).toEqual({
    ...one,
    voided: { at: expect.any(String), reason: "chargeback" },
    alert: { status: "skipped", reason: "voided", shownAt: null, masked: false },
  });
  expect(await findVoidNotes(database.knex, streamerId, [one.id])).toEqual(new Map([[one.id, "Case 4711"]]));
  expect(await voidOf(one.id, "--reason", "chargeback", "--note", "another")).toEqual(voided);
  expect(await findVoidNotes(database.knex, streamerId, [one.id])).toEqual(new Map([[one.id, "Case 4711"]]));
});

test("donations void says in words, and without the statement, that others keep locked what it needs", async () => {
  const { id } = await add();
  const locked = Object.assign(new Error("update donations set … - canceling statement due to lock timeout"), { code: "55P03" });
  const refusing = (knex: Knex) =>
    new Proxy(knex, { get: (all, name) => (name === "transaction" ? () => Promise.reject(locked) : Reflect.get(all, name)) });
  const busy: Database = { ...database, pool: (options) => refusing(database.pool(options)) };
  expect(await runCommand(busy, "donations", "void", "--streamer", "somchai", "--reason", "refund", id)).toEqual({
    error: expect.stringMatching(/^Other requests or tasks keep locked/),
  });
});

test("donations void refuses another reason, an unknown reason, an unknown id and another streamer's donation, and says which", async () => {
  const one = await add();
  const first = (await voidOf(one.id, "--reason", "refund")) as Printed;
  expect(await voidOf(one.id, "--reason", "fraud")).toEqual({ error: "the donation was voided before: refund" });
  expect(await voidOf(one.id, "--reason", "refund")).toEqual(first);
  expect(await voidOf(one.id, "--reason", "why not")).toEqual({ error: expect.stringMatching(/reason.*refund.*chargeback/) });
  expect(await voidOf("4711", "--reason", "refund")).toEqual({ error: "somchai has no donation 4711" });
  const other = await cli("void", "--streamer", "malee", "--reason", "refund", one.id);
  expect(other).toEqual({ error: `malee has no donation ${one.id}` });
});

test("donations void takes a note of as many characters as the operation does, and with a longer one voids nothing", async () => {
  const one = await add();
  expect(await voidOf(one.id, "--reason", "refund", "--note", "😀".repeat(256))).toEqual({
    error: expect.stringContaining("It must have at most 255 characters"),
  });
  expect(await voidOf(one.id, "--reason", "mistake", "--note", "😀".repeat(255))).toMatchObject({ voided: { reason: "mistake" } });
});
