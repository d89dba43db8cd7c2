// Measures what the database alone can record: pgbench with the baseline's insert, and with our recording statement one row and fifty at a time.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { checkout } from "../../../suite/contract/sources.ts";
import type { EmptySetting } from "../setting.ts";
import { percentile } from "../timed.ts";
import { insert } from "./baseline-donations.ts";
import { handle } from "./participants.ts";

/** Null: not run, because the machine has no pgbench. */
export type Ceiling = { name: string; rowsPerSecond: number | null; load: number };

export async function databaseCeilings(
  { databaseUrl, client }: EmptySetting,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Ceiling[]> {
  const { rows } = await client.query("select streamer_id as id from streamer_handles where handle = $1", [handle]);
  const record = await recording();
  const candidates = [
    { name: "the baseline's insert, 20 clients", sql: inserting(), rows: 1, clients: 20 },
    { name: "our statement with 1 row, 1 client", sql: record(rows[0].id, 1), rows: 1, clients: 1 },
    { name: "our statement with 50 rows, 1 client", sql: record(rows[0].id, 50), rows: 50, clients: 1 },
  ];
  const ceilings: Ceiling[] = [];
  for (const { name, sql, rows, clients } of candidates) {
    const load = loadavg()[0] as number;
    const perSecond: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const transactions = await pgbench(databaseUrl, sql, { clients, seconds });
      if (transactions !== null) perSecond.push(transactions * rows);
    }
    ceilings.push({ name, rowsPerSecond: perSecond.length > 0 ? percentile(perSecond, 0.5) : null, load });
  }
  return ceilings;
}

/** Transactions a second; null without the program. */
async function pgbench(url: string, sql: string, { clients, seconds }: { clients: number; seconds: number }): Promise<number | null> {
  const directory = await mkdtemp(join(tmpdir(), "namjai-bench-"));
  const script = join(directory, "script.sql");
  await writeFile(script, `${sql};\n`);
  const words = ["-n", "-M", "prepared", "-f", script, "-c", String(clients), "-T", String(seconds), url];
  try {
    const { stdout } = await promisify(execFile)("pgbench", words);
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const name = "'สมชาย ใจดี'";
const message = "'ขอบคุณสำหรับสตรีมครับ'";
const key = "gen_random_uuid()::text";

function inserting(): string {
  const values = [name, "123.45", message, "null", key, "false", "null"];
  return insert.replace(/\$(\d+)/g, (_, number) => values[Number(number) - 1] as string);
}

/** The very statement that the server runs, printed by the server's own code in a process of its own. */
async function recording(): Promise<(streamerId: string, rows: number) => string> {
  const file = pathToFileURL(join(checkout, "src/donations/record/batch.ts"));
  const words = ["--input-type=module", "--eval", `console.log((await import("${file}")).recordOneStreamer.text)`];
  const { stdout: statement } = await promisify(execFile)(process.execPath, words);
  return (streamerId, rows) => {
    const id = `'${streamerId}'`;
    const donation = ["'THB'", message, "null", "false", "'external'", "'external'", "null", "null"];
    const values = [id, "gen_random_uuid()", id, key, name, `'n:' || ${name}`, "123.45", ...donation];
    return statement
      .replaceAll("$1::uuid", `${id}::uuid`)
      .replace(
        /\$(\d+)::(\w+)\[\]/g,
        (_, number, type) => `(select array_agg((${values[Number(number) - 1] ?? "null"})::${type}) from generate_series(1, ${rows}))`,
      );
  };
}
