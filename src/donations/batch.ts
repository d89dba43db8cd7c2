// The recording statement and what goes with it: one connection, one round trip, one transaction for a whole batch.

import { readFileSync } from "node:fs";
import type { Knex } from "knex";
import type { Client, QueryConfig } from "pg";
import { toArrays } from "./arrays.ts";
import { withColumns } from "./columns.ts";
import type { NewDonation, StoredDonation } from "./donation.ts";
import { type DonationRow, fromRow, selected, withAlert } from "./rows.ts";

/** What became of one donation of a batch. No row: its idempotency key is taken. */
export type BatchRow = Stored | Held;
type Stored = Readonly<{ id: string; sequence: number; received_at: number }>;
/** Another transaction holds the streamer's row, and `skipLocked` was asked for. */
type Held = Readonly<{ id: string; sequence: null; received_at: null }>;

/** A connection that failed while the statement was under way: only the database knows whether it committed. */
export class LostConnection extends Error {
  readonly backend: Backend;

  constructor(backend: Backend, cause: unknown) {
    super("the connection was lost while a batch was being recorded", { cause });
    this.name = "LostConnection";
    this.backend = backend;
  }
}

/** A server process, named so that a later one with the same pid is not mistaken for it. */
export type Backend = Readonly<{ pid: number; startedAt: string }>;

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const ofMany = withColumns(read("record.sql"));
const ofOne = withColumns(read("record-one-streamer.sql"), ["streamerId"]);

// Prepared once per connection: planning would cost as much as a small batch.
export const waiting = { name: "record", text: ofMany };
const passing = { name: "record-passing", text: ofMany.replace("/* skip locked */", "skip locked") };
export const waitingForOne = { name: "record-one-streamer", text: ofOne };

/** Records a batch. Throws what the database says, or LostConnection when the outcome is unknown. */
export async function insertBatch(pool: Knex, donations: readonly NewDonation[], skipLocked: boolean): Promise<BatchRow[]> {
  const client: Client = await pool.client.acquireConnection();
  try {
    const backend = await identify(client);
    try {
      const { rows } = await client.query<BatchRow>(recording(donations, skipLocked));
      return rows;
    } catch (error) {
      throw isStatementError(error) ? error : new LostConnection(backend, error);
    }
  } finally {
    await pool.client.releaseConnection(client);
  }
}

// Two questions, each with its index: for "this or that" in one, all donations of the streamer would be read.
const byId = "select d.* from asked join donations d using (streamer_id, id)";
const byKey = "select d.* from asked join donations d using (streamer_id, application_id, idempotency_key)";

/** Donations that already hold the given idempotency keys, or the given ids. A fresh snapshot: run it after `insertBatch`. */
export async function findTaken(pool: Knex, donations: readonly NewDonation[]): Promise<StoredDonation[]> {
  const { rows } = await pool.raw<{ rows: DonationRow[] }>(
    `with asked as (
       select * from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::text[]) as i(streamer_id, id, application_id, idempotency_key)
     )
     select ${selected} from (${byId} union ${byKey}) d ${withAlert}`,
    [pick(donations, "streamerId"), pick(donations, "id"), pick(donations, "applicationId"), pick(donations, "idempotencyKey")] as never,
  );
  return rows.map(fromRow);
}

/** Ends a lost backend, so that nothing it was doing can still commit. Returns when it is gone. */
export async function endBackend(pool: Knex, { pid, startedAt }: Backend): Promise<void> {
  await pool.raw("select pg_terminate_backend(pid, 2000) from pg_stat_activity where pid = ? and backend_start = ?::timestamptz", [
    pid,
    startedAt,
  ]);
}

const backends = new WeakMap<Client, Backend>();

async function identify(client: Client): Promise<Backend> {
  const known = backends.get(client);
  if (known) return known;
  const { rows } = await client.query<Backend>(
    `select pid, backend_start::text as "startedAt" from pg_stat_activity where pid = pg_backend_pid()`,
  );
  const backend = rows[0] as Backend;
  backends.set(client, backend);
  return backend;
}

/** An SQLSTATE below the connection level means that the server answered: the statement was rolled back. */
function isStatementError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
}

/** The statement that suits the batch, and what it is given. */
export function recording(donations: readonly NewDonation[], skipLocked: boolean): QueryConfig {
  const [first, ...others] = donations as [NewDonation, ...NewDonation[]];
  const arrays = toArrays(donations);
  if (skipLocked) return { ...passing, values: arrays };
  if (others.some(({ streamerId }) => streamerId !== first.streamerId)) return { ...waiting, values: arrays };
  return { ...waitingForOne, values: [first.streamerId, ...arrays.slice(1)] };
}

function pick<Member extends keyof NewDonation>(donations: readonly NewDonation[], member: Member): NewDonation[Member][] {
  return donations.map((donation) => donation[member]);
}
