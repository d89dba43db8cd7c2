// Gathers concurrent donations into multi-row transactions and answers each after commit.
//
// One lane writes at a time; what arrives meanwhile is the next batch, so batches grow with load and an idle server
// answers at once. A batch that meets a held lock is repeated without the held streamers; those wait in a lane of their
// own, so that nobody else waits for them.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { Problem } from "../http/problem.ts";
import { type Entry, makeAttempt, type Recorded } from "./attempt.ts";
import type { NewDonation, StoredDonation } from "./donation.ts";
import { KeyConflict } from "./key-conflict.ts";

export type Writer = {
  /** Resolves after commit. Rejects with a KeyConflict, or a Problem: unavailable or internal_error. */
  record: (donation: NewDonation) => Promise<Recorded>;
  /** Resolves when everything taken so far is answered. */
  drain: () => Promise<void>;
};

export type WriterParts = {
  /** With a short lock time-out and at least three connections: two lanes, and a second look at what they did. */
  pool: Knex;
  log: Logger;
  /** Told of each donation once it is committed, not of a repeated one. Must not throw. */
  announce?: (donation: StoredDonation) => void;
  /** Told how many donations are tried together. */
  onBatch?: (rows: number) => void;
};

const maxBatch = 256;
const maxWaiting = 10_000;
/** Whoever comes when another has waited for so long would wait as long: it is refused at once. */
const maxAgeMs = 1_000;
/** What has waited for so long is refused, never sent: the batch before may hang in a database that has stopped. */
const waitingPatienceMs = 1_500;
const lookMs = 250;
const heldRetryMs = 100;
const heldPatienceMs = 2_000;

export function makeWriter({ pool, log, announce = () => {}, onBatch = () => {} }: WriterParts): Writer {
  const attempt = makeAttempt(pool, log);
  const waiting: Entry[] = [];
  const held = new Set<Entry>();
  let lane: Promise<void> | null = null;
  let heldLane: Promise<void> | null = null;

  const record = (donation: NewDonation) =>
    new Promise<Recorded>((resolve, reject) => {
      const entry = { donation, resolve: announced(resolve), reject, since: performance.now() };
      const holdUp = heldOf(donation);
      const before = holdUp ?? waiting[0];
      if (waiting.length + held.size >= maxWaiting || (before && entry.since - before.since > maxAgeMs)) return reject(tooMuch());
      if (holdUp) return park([entry]);
      waiting.push(entry);
      lane ??= runLane();
    });

  const announced = (resolve: Entry["resolve"]) => (recorded: Recorded) => {
    if (recorded.created) announce(recorded.donation);
    resolve(recorded);
  };

  /** A streamer in the held lane keeps all its donations there, so that the other lane need not run into its lock again: its oldest one. */
  const heldOf = ({ streamerId }: NewDonation): Entry | undefined => {
    for (const entry of held) if (entry.donation.streamerId === streamerId) return entry;
    return undefined;
  };

  const runLane = async () => {
    const looking = setInterval(refuseOld, lookMs);
    await nextTurn(); // whatever else has just arrived joins the first batch
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatch);
      onBatch(batch.length);
      // The first attempt waits for locks, the second passes them by; what is held even then is parked.
      await settle(batch, async () => park((await attempt(batch, false)) ?? (await attempt(batch, true)) ?? batch));
    }
    clearInterval(looking);
    lane = null; // in the same turn as the check above: a donation that comes later starts a new lane
  };

  const refuseOld = () => {
    const oldest = performance.now() - waitingPatienceMs;
    while (waiting[0] && waiting[0].since < oldest) waiting.shift()?.reject(tooMuch());
  };

  const park = (entries: Entry[]) => {
    for (const entry of entries) held.add(entry);
    if (held.size > 0) heldLane ??= runHeldLane();
  };

  const runHeldLane = async () => {
    while (held.size > 0) {
      await pause(heldRetryMs);
      const batch = [...held].slice(0, maxBatch);
      const still = new Set<Entry>();
      await settle(batch, async () => {
        for (const entry of await insertHalved(batch)) if (!givesUp(entry)) still.add(entry);
      });
      for (const entry of batch) if (!still.has(entry)) held.delete(entry);
    }
    heldLane = null;
  };

  /** Passes held streamers by; a held key (a row that some other transaction has not committed) is found by halving. */
  const insertHalved = async (entries: Entry[]): Promise<Entry[]> => {
    const answered = await attempt(entries, true);
    if (answered || entries.length === 1) return answered ?? entries;
    const middle = Math.ceil(entries.length / 2);
    return [...(await insertHalved(entries.slice(0, middle))), ...(await insertHalved(entries.slice(middle)))];
  };

  const drain = async () => {
    while (lane || heldLane) await Promise.all([lane, heldLane]);
  };

  return { record, drain };
}

/** Runs a step; its failure is the answer of every entry that it has not answered yet. */
async function settle(entries: Entry[], step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    for (const entry of entries) entry.reject(error);
  }
}

/** Held for two seconds: a keyed donation is being recorded elsewhere, one without a key was not recorded. */
function givesUp({ donation, since, reject }: Entry): boolean {
  if (performance.now() - since < heldPatienceMs) return false;
  reject(
    donation.idempotencyKey === null
      ? new Problem("unavailable", "The streamer's donations are locked at the moment; nothing was recorded.")
      : new KeyConflict("idempotency_in_progress", "A donation with this idempotencyKey is being recorded."),
  );
  return true;
}

function tooMuch(): Problem {
  return new Problem("unavailable", "Too much is waiting to be recorded; nothing was recorded.");
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
