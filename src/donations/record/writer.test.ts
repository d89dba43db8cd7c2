import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { pino } from "pino";
import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import type { Database } from "../../db/database.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import { Problem } from "../../http/problem.ts";
import { requireColumns } from "../columns.ts";
import type { NewDonation } from "../donation.ts";
import { newStreamer, someDonation } from "../testing.ts";
import { KeyConflict } from "./attempt.ts";
import { insertBatch } from "./batch.ts";
import { findRecorded } from "./find-recorded.ts";
import { makeWriter, type Writer } from "./writer.ts";

const application = uuidv7();
let database: Database;
let knex: Knex;
let writer: Writer;

useDatabase(async (opened) => {
  database = opened;
  knex = database.knex;
  writer = newWriter();
  return () => writer.drain();
});

test("1,000 concurrent donations with one key are one row and one alert", async () => {
  const streamerId = await newStreamer(knex);
  const outcomes = await Promise.all(Array.from({ length: 1_000 }, () => writer.record(donation(streamerId, { idempotencyKey: "once" }))));
  expect(outcomes.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(outcomes.map((outcome) => outcome.donation.id)).size).toBe(1);
  expect(await countRows(streamerId)).toEqual({ donations: 1, alerts: 1 });
});

test("each donation of a batch has its own answer: created, replayed or idempotency_key_reused", async () => {
  const [a, b] = [await newStreamer(knex), await newStreamer(knex)];
  await writer.record(donation(a, { idempotencyKey: "taken" }));
  const outcomes = await Promise.allSettled([
    writer.record(donation(a, { idempotencyKey: "taken" })),
    writer.record(donation(a, { idempotencyKey: "taken", amount: 2 })),
    writer.record(donation(b, { idempotencyKey: "taken" })),
    writer.record(donation(a, { idempotencyKey: "new", message: "first" })),
    writer.record(donation(a, { idempotencyKey: "new", message: "second" })),
    writer.record(donation(a, {})),
    writer.record(donation(a, { skipAlert: true })),
  ]);
  expect(outcomes.map(describeOutcome)).toEqual([
    "replayed",
    "idempotency_key_reused",
    "created",
    "created",
    "idempotency_key_reused",
    "created",
    "created",
  ]);
  expect([await countRows(a), await countRows(b)]).toEqual([
    { donations: 4, alerts: 3 },
    { donations: 1, alerts: 1 },
  ]);
});

test("a batch is recorded in one statement, with one receivedAt and no log line", async () => {
  const lines: string[] = [];
  const own = newWriter(pino({ level: "error" }, { write: (line) => lines.push(line) }));
  const [a, b] = [await newStreamer(knex), await newStreamer(knex)];
  for (const streamers of [[a], [a, b]]) {
    const asked = Array.from({ length: 20 }, (_, index) => donation(streamers[index % streamers.length] as string, {}));
    const recorded = await Promise.all(asked.map((one) => own.record(one)));
    expect(new Set(recorded.filter(({ donation }) => donation.streamerId === a).map(({ donation }) => donation.receivedAt)).size).toBe(1);
  }
  expect(lines).toEqual([]);
});

test("text is stored exactly, in a batch of one streamer and in one of several", async () => {
  const texts = ["NULL", "", '"', "\\", '\\"', "a,b", "{}", "{a,b}", "'", "\n\t", " ", "$1 ?", "ก็๊🇹🇭"];
  const [a, b] = [await newStreamer(knex), await newStreamer(knex)];
  for (const streamers of [[a], [a, b]]) {
    const asked = texts.flatMap((text) =>
      streamers.map((streamerId) => donation(streamerId, { message: text, donatorName: text, identifier: text })),
    );
    await Promise.all(asked.map((one) => writer.record(one)));
    const stored = await findRecorded(knex, asked);
    for (const { id, message, donatorName, identifier } of asked)
      expect(stored.find((one) => one.id === id)).toMatchObject({ message, donatorName, identifier });
  }
});

test("a missing column of donations is an error at the start that has the statement to add it", async () => {
  await expect(requireColumns(knex)).resolves.toBeUndefined();
  const transaction = await knex.transaction();
  await transaction.raw("alter table donations drop column message");
  await expect(requireColumns(transaction)).rejects.toThrow(/src\/db\/migrations.*alter table donations add column message text;/);
  await transaction.rollback();
});

test("a repeated idempotency key is looked up by its index, however long the streamer's history", async () => {
  const streamerId = await newStreamer(knex);
  await insertBatch(
    knex,
    Array.from({ length: 5_000 }, (_, n) => donation(streamerId, { idempotencyKey: `key ${n}`, skipAlert: true })),
    false,
  );
  await knex.raw("analyze donations");
  const asked = new Promise<{ sql: string; bindings: never }>((resolve) => knex.once("query", resolve));
  const found = await findRecorded(knex, [
    donation(streamerId, { idempotencyKey: "key 1" }),
    donation(streamerId, { idempotencyKey: "no" }),
  ]);
  expect(found.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["key 1"]);
  const { sql, bindings } = await asked;
  const { rows } = await knex.raw(`explain ${sql.replaceAll(/\$\d+/g, "?")}`, bindings);
  const scans = (rows as { "QUERY PLAN": string }[]).map((row) => row["QUERY PLAN"]).filter((line) => /Scan.* on donations /.test(line));
  const indexes = scans.map((scan) => /Index Scan using (\w+) on donations /.exec(scan)?.[1]);
  expect(indexes.sort()).toEqual(["donations_erased_key", "donations_idempotency_key", "donations_pkey"]);
});

test("a donation that the database refuses fails alone", async () => {
  const streamerId = await newStreamer(knex);
  const all = Array.from({ length: 20 }, (_, i) => writer.record(donation(streamerId, { message: i === 7 ? "\0" : "fine" })));
  const outcomes = (await Promise.allSettled(all)).map(describeOutcome);
  expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(19);
  expect(outcomes[7]).toMatch(/invalid byte sequence/);
});

test("a locked streamer does not delay other streamers, and its own donations are refused and not recorded", async () => {
  const [locked, free] = [await newStreamer(knex), await newStreamer(knex)];
  await whileExecuted(knex("streamers").where("id", locked).forUpdate(), async () => {
    const keyed = writer.record(donation(locked, { idempotencyKey: "k" }));
    const keyless = writer.record(donation(locked, {}));
    const others = Array.from({ length: 10 }, () => writer.record(donation(free, {})));
    expect((await Promise.allSettled(others)).map(describeOutcome)).toEqual(Array(10).fill("created"));
    expect((await Promise.allSettled([keyed, keyless])).map(describeOutcome)).toEqual(["idempotency_in_progress", "unavailable"]);
  });
  expect(await countRows(locked)).toEqual({ donations: 0, alerts: 0 });
  expect((await writer.record(donation(locked, { idempotencyKey: "k" }))).created).toBe(true);
});

test("a donation is in the next batch, however many donations of another streamer wait", async () => {
  const [busy, quiet] = [await newStreamer(knex), await newStreamer(knex)];
  let answered = 0;
  const flood = Array.from({ length: 2_000 }, () => writer.record(donation(busy, { skipAlert: true })).then(() => (answered += 1)));
  await Promise.any(flood);
  await writer.record(donation(quiet, {}));
  expect(answered).toBeLessThanOrEqual(3 * 256); // the batch that was answered, the one under way, and the next
  await Promise.all(flood);
});

test("a donation of a streamer that is locked for a moment is recorded when the lock is released", async () => {
  const streamerId = await newStreamer(knex);
  let recorded: Promise<unknown> = Promise.resolve();
  await whileExecuted(knex("streamers").where("id", streamerId).forUpdate(), async () => {
    recorded = writer.record(donation(streamerId, {}));
    await sleep(700);
  });
  expect(await recorded).toMatchObject({ created: true });
});

test("an idempotency key in an uncommitted transaction is refused without its batch", async () => {
  const [holder, streamerId] = [await newStreamer(knex), await newStreamer(knex)];
  await writer.record(donation(holder, { idempotencyKey: "theirs" }));
  // A copy under the other streamer, not committed, and without that streamer's lock.
  const copy = knex.raw(
    `insert into donations select (jsonb_populate_record(d, jsonb_build_object('streamer_id', ?::text, 'sequence', 1000000))).* from donations d where streamer_id = ?`,
    [streamerId, holder],
  );
  await whileExecuted(copy, async () => {
    const all = ["a", "theirs", "b"].map((idempotencyKey) => writer.record(donation(streamerId, { idempotencyKey })));
    expect((await Promise.allSettled(all)).map(describeOutcome)).toEqual(["created", "idempotency_in_progress", "created"]);
  });
});

test("when connections are killed under load, answered donations are recorded once and refused ones are not", async () => {
  const streamerId = await newStreamer(knex);
  const keys = Array.from({ length: 600 }, (_, i) => `key-${i}`);
  let done = false;
  let kills = 0;
  let answered = 0;
  const killer = (async () => {
    for (; !done; kills += 1) {
      const before = answered;
      // One at random, not all: where connecting takes longer than the pause, no lookup could end within its deadline.
      await knex.raw(
        `select pg_terminate_backend(pid) from pg_stat_activity where pid in (
           select pid from pg_stat_activity where application_name = 'writer under test' order by random() limit 1
         )`,
      );
      await sleep(40);
      while (answered === before && !done) await sleep(5); // a busy machine needs longer to look up what became of a batch
    }
  })();
  const outcomes = await Promise.all(
    keys.map(async (idempotencyKey, i) => {
      await sleep(i * 2);
      const [settled] = await Promise.allSettled([writer.record(donation(streamerId, { idempotencyKey }))]);
      answered += 1;
      return describeOutcome(settled);
    }),
  );
  done = true;
  await killer;
  const stored = new Set(await knex("donations").where("streamer_id", streamerId).pluck("idempotency_key"));
  expect(kills).toBeGreaterThan(0);
  expect(outcomes.filter((outcome) => outcome !== "created" && outcome !== "unavailable")).toEqual([]);
  expect(keys.filter((key, i) => stored.has(key) !== (outcomes[i] === "created"))).toEqual([]);
});

test("two writers lose and double no donation, and a client that polls by sequence misses none", async () => {
  const streamers = [await newStreamer(knex), await newStreamer(knex), await newStreamer(knex)];
  const writers = [writer, newWriter()];
  const work = Array.from({ length: 1_500 }, (_, i) =>
    donation(streamers[i % 3] as string, i % 5 === 0 ? { idempotencyKey: `k${i % 50}` } : {}),
  );
  const seen: string[] = [];
  let done = false;
  const poller = (async () => {
    let last = 0;
    for (let finished = false; !finished; ) {
      finished = done;
      const rows = await knex("donations")
        .where("streamer_id", streamers[0] as string)
        .andWhere("sequence", ">", last)
        .orderBy("sequence")
        .select("id", "sequence");
      seen.push(...rows.map(({ id }) => id));
      last = rows.at(-1)?.sequence ?? last;
    }
  })();
  const outcomes = await Promise.all(work.map((each, i) => (writers[i % 2] as Writer).record(each)));
  done = true;
  await poller;
  const created = outcomes.filter((outcome) => outcome.created).map((outcome) => outcome.donation);
  const rows = await knex("donations").whereIn("streamer_id", streamers).pluck("id");
  expect(rows.sort()).toEqual(created.map(({ id }) => id).sort());
  expect(seen.sort()).toEqual(
    created
      .filter(({ streamerId }) => streamerId === streamers[0])
      .map(({ id }) => id)
      .sort(),
  );
  await writers[1]?.drain();
});

test("receivedAt never decreases in the order of the sequence", async () => {
  const backwards = await knex.raw(
    `select count(*) as n from (select received_at < lag(received_at) over (partition by streamer_id order by sequence) as back from donations) d where back`,
  );
  expect(backwards.rows[0].n).toBe(0);
});

function newWriter(log = silent): Writer {
  return makeWriter({ pool: database.pool({ max: 4, applicationName: "writer under test", lockTimeoutMs: 250 }), log });
}

function donation(streamerId: string, members: Partial<NewDonation>): NewDonation {
  return someDonation(streamerId, { applicationId: application, ...members });
}

function describeOutcome(outcome: PromiseSettledResult<{ created: boolean }>): string {
  if (outcome.status === "fulfilled") return outcome.value.created ? "created" : "replayed";
  return outcome.reason instanceof Problem || outcome.reason instanceof KeyConflict ? outcome.reason.code : outcome.reason.message;
}

async function countRows(streamerId: string): Promise<unknown> {
  const { rows } = await knex.raw(
    "select (select count(*) from donations where streamer_id = i.id) as donations, (select count(*) from alerts where streamer_id = i.id) as alerts from (select ?::uuid as id) i",
    [streamerId],
  );
  return rows[0];
}

/** Runs `work` while another transaction has executed `statement` without committing it, then rolls that back. */
async function whileExecuted(statement: Knex.QueryBuilder | Knex.Raw, work: () => Promise<void>): Promise<void> {
  const transaction = await knex.transaction();
  await statement.transacting(transaction);
  await work().finally(() => transaction.rollback());
}
