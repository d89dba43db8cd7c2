// Recording a batch of one streamer: how its arrays are written, and which statement takes them.

import { createRequire } from "node:module";
import type { Client, QueryConfig } from "pg";
import { uuidv7 } from "uuidv7";
import { ensureApplication } from "../auth/api-keys.ts";
import type { Database } from "../db/database.ts";
import { pools } from "../db/pools.ts";
import { inserted, toArrays } from "../donations/arrays.ts";
import { recording, waiting } from "../donations/batch.ts";
import { type NewDonation, newDonation } from "../donations/donation.ts";
import { often, oftenInTurn, type Step } from "./compare.ts";
import { body } from "./sample.ts";

/** What `pg` does with each value. Not among its exports that have types. */
const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils") as { prepareValue: (value: unknown) => unknown };

const sizes = [1, 32];

export async function recordingSteps({ knex, pool }: Database, streamerId: string) {
  const by = { streamerId, applicationId: await ensureApplication(knex, streamerId, "steps") };
  const sample = newDonation(body, by, { source: "external", channel: "external" });
  const batch = (size: number) => Array.from({ length: size }, () => another(sample));
  const writer = pool(pools.writer);
  const client: Client = await writer.client.acquireConnection();
  // The wait for the disk is the same whichever statement it is, and would hide what differs.
  await client.query("set synchronous_commit = off");
  const record = (size: number, statement: (donations: NewDonation[]) => QueryConfig) =>
    oftenInTurn(() => client.query(statement(batch(size))));
  const choosing = (size: number): Step => ({
    name: `recording ${size}, the statement`,
    before: { how: "record.sql", repeat: record(size, ofAnyStreamers) },
    now: { how: "record-one-streamer.sql", repeat: record(size, ofOneStreamer) },
  });
  const preparing = (size: number): Step => ({
    name: `recording ${size}, its plan`,
    before: { how: "made each time", repeat: record(size, unprepared) },
    now: { how: "made once", repeat: record(size, ofOneStreamer) },
  });
  const steps = [writing(batch(32)), ...sizes.map(choosing), ...sizes.map(preparing)];
  return { steps, close: () => writer.client.releaseConnection(client) as Promise<void> };
}

function another(sample: NewDonation): NewDonation {
  const id = uuidv7();
  return { ...sample, id, idempotencyKey: id };
}

const ofAnyStreamers = (donations: NewDonation[]): QueryConfig => ({ ...waiting, values: toArrays(donations) });

const ofOneStreamer = (donations: NewDonation[]) => recording(donations, false);

const unprepared = (donations: NewDonation[]): QueryConfig => ({ ...ofOneStreamer(donations), name: undefined });

function writing(donations: readonly NewDonation[]): Step {
  const withPg = () => inserted.map(([member]) => prepareValue(donations.map((donation) => donation[member])));
  return {
    name: `arrays of ${donations.length} donations`,
    before: { how: "written by pg", repeat: often(withPg) },
    now: { how: "donations/arrays.ts", repeat: often(() => toArrays(donations)) },
  };
}
