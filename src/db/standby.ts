// A standby of the primary: the pools on it, and whether it is what it is taken for.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { notInRecovery } from "./counters.ts";
import { identityOf, isSameDatabase } from "./other-addresses.ts";
import { createPool, type PoolOptions } from "./pool.ts";

type Standby = {
  /** A pool on the standby, closed together with it. */
  pool(options: PoolOptions): Knex;
  /** Rejects when the standby does not answer, or is none of this primary. */
  check(): Promise<void>;
  /** Whether the primary keeps what a long read on the standby still needs; else such a read may be cancelled. */
  keepsLongReads(): boolean;
  close(): Promise<void>;
};

type StandbyOptions = { url: string; primary: Knex; preparedStatements: boolean | null; log: Logger };

/** No connection is opened before `check`. `primary`: any pool on the primary. */
export function openStandby({ url, primary, preparedStatements, log }: StandbyOptions): Standby {
  const opened: Knex[] = [];
  const pool = (options: PoolOptions) => {
    const created = createPool(url, { ...options, preparedStatements: preparedStatements ?? undefined }, log);
    opened.push(created);
    return created;
  };
  const probe = pool({ max: 1, applicationName: "donations standby probe", connectTimeoutMs: 1_500, answerTimeoutMs: 1_500 });
  let feedback = false;
  return {
    pool,
    check: async () => {
      const [own, its] = await Promise.all([identityOf(primary), identityOf(probe)]);
      if (!isSameDatabase(own, its))
        throw new Error("READ_DATABASE_URL is not a standby of DATABASE_URL: it has another system identifier or database name");
      const { rows } = await probe.raw<{ rows: { feedback: string; inRecovery: boolean }[] }>(
        `select current_setting('hot_standby_feedback') as feedback, pg_is_in_recovery() as "inRecovery"`,
      );
      feedback = rows[0]?.feedback === "on";
      if (!rows[0]?.inRecovery) throw new Error(notInRecovery);
    },
    keepsLongReads: () => feedback,
    close: async () => void (await Promise.all(opened.map((knex) => knex.destroy()))),
  };
}
