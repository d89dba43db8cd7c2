// Reads the audit log and checks its chains: every line has the hash of its text and of the line before it.

import { hash } from "node:crypto";
import type { Knex } from "knex";

/** `at`: RFC 3339 with microseconds, as it is hashed. `entry`: JSON. `hash`: in hex. */
export type AuditLine = Readonly<{ chain: string; number: number; at: string; entry: string; hash: string }>;

/** The last line of a chain. `hash`: in hex. */
export type ChainHead = Readonly<{ chain: string; number: number; hash: string }>;

/** The first line of a chain that is not as it was written, and why. */
type BrokenLine = Readonly<{ chain: string; number: number; reason: string }>;

export type AuditVerified = Readonly<{ lines: number; broken: readonly BrokenLine[]; heads: readonly ChainHead[] }>;

const pageSize = 2_000;
const columns = `chain, number::float8 as number, audit_time(at) as at, entry, encode(hash, 'hex') as hash`;

/**
 * Checks every chain in one snapshot. `known`: heads that were printed before and kept elsewhere; a log that was written anew as a whole
 * has other hashes at their numbers.
 */
export function verifyChains(knex: Knex, known: readonly ChainHead[] = []): Promise<AuditVerified> {
  return inSnapshot(knex, async (trx) => {
    const heads = await readHeads(trx);
    const chains = new Set([...heads, ...known, ...(await readChains(trx))].map(({ chain }) => chain));
    let lines = 0;
    const broken: BrokenLine[] = [];
    for (const chain of [...chains].sort()) {
      const ends = [...known, ...heads].filter((head) => head.chain === chain);
      const found = await verifyChain(linesOf(trx, chain), { chain, ends, hasHead: heads.some((head) => head.chain === chain) });
      lines += found.lines;
      if (found.broken) broken.push(found.broken);
    }
    return { lines, broken, heads };
  });
}

/** Lines that were written since then, in the order of their times. */
export async function* linesSince(knex: Knex, { since, chain }: { since: Date; chain: string | null }): AsyncGenerator<AuditLine> {
  let last: { at: string; chain: string; number: number } = { at: since.toISOString(), chain: "", number: 0 };
  for (;;) {
    const { rows } = await knex.raw<{ rows: AuditLine[] }>(
      `select ${columns} from audit_log where (at, chain, number) > (:at::timestamptz, :after, :number) ${chain === null ? "" : "and chain = :chain"}
       order by audit_log.at, audit_log.chain, audit_log.number limit ${pageSize}`,
      { at: last.at, after: last.chain, number: last.number, ...(chain !== null && { chain }) },
    );
    yield* rows;
    const end = rows.at(-1);
    if (!end || rows.length < pageSize) return;
    last = end;
  }
}

/** The hash of a line in hex. `previous`: of the line before it, in hex; empty for the first. */
function hashOf({ chain, number, at, entry }: Omit<AuditLine, "hash">, previous: string): string {
  return hash("sha256", Buffer.concat([Buffer.from(previous, "hex"), Buffer.from([chain, number, at, entry].join("\n"))]));
}

type Ends = Readonly<{ chain: string; ends: readonly ChainHead[]; hasHead: boolean }>;

/** Reads a chain to its end or its first broken line. */
async function verifyChain(
  lines: AsyncIterable<AuditLine> | Iterable<AuditLine>,
  { chain, ends, hasHead }: Ends,
): Promise<{ lines: number; broken: BrokenLine | null }> {
  let [number, previous] = [0, ""];
  const brokenAt = (at: number, reason: string) => ({ lines: number, broken: { chain, number: at, reason } });
  for await (const line of lines) {
    if (line.number !== number + 1) return brokenAt(number + 1, `this line is missing: the next one is number ${line.number}`);
    if (hashOf(line, previous) !== line.hash) return brokenAt(line.number, "its hash is not that of its text and of the line before it");
    [number, previous] = [line.number, line.hash];
    if (ends.some((end) => end.number === number && end.hash !== previous))
      return brokenAt(number, "its hash is not the one that was noted for it: the chain was written anew");
  }
  const last = Math.max(...ends.map((end) => end.number));
  if (ends.length > 0 && last > number) return brokenAt(number + 1, `this line and those after it are missing: there were ${last}`);
  if (!hasHead || ends.every((end) => end.number < number))
    return brokenAt(number, "the note of the chain's last line is missing or older");
  return { lines: number, broken: null };
}

async function* linesOf(knex: Knex, chain: string): AsyncGenerator<AuditLine> {
  for (let after = 0; ; ) {
    const { rows } = await knex.raw<{ rows: AuditLine[] }>(
      `select ${columns} from audit_log where chain = ? and number > ? order by audit_log.number limit ${pageSize}`,
      [chain, after],
    );
    yield* rows;
    const end = rows.at(-1);
    if (!end || rows.length < pageSize) return;
    after = end.number;
  }
}

async function readHeads(knex: Knex): Promise<ChainHead[]> {
  const { rows } = await knex.raw<{ rows: ChainHead[] }>(
    `select chain, last_number::float8 as number, encode(last_hash, 'hex') as hash from audit_chains order by chain`,
  );
  return rows;
}

function readChains(knex: Knex): Promise<{ chain: string }[]> {
  return knex("audit_log").distinct("chain");
}

function inSnapshot<Result>(knex: Knex, work: (trx: Knex) => Promise<Result>): Promise<Result> {
  return knex.transaction(
    async (trx) => {
      await trx.raw("set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0");
      return work(trx);
    },
    { isolationLevel: "repeatable read", readOnly: true },
  );
}
