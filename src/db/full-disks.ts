// Notes that a disk is full: the database's, of which PostgreSQL says disk_full, or that of this machine (ENOSPC).

import type { Client } from "pg";
import { asDatabaseError } from "../telemetry/describe-failure.ts";
import { aroundQuery } from "../telemetry/statements.ts";

/** A disk counts as full for so long after it last refused something: whether there is room again shows only when something is written. */
const heldMs = 30_000;

export type Disk = "database" | "server";

const diskOfCode: Readonly<Record<string, Disk>> = { 53100: "database", ENOSPC: "server" };
const refusedAt: Record<Disk, number> = { database: Number.NEGATIVE_INFINITY, server: Number.NEGATIVE_INFINITY };

/** Call it with any failure. `now`: by `performance.now()`. */
export function noteFullDisk(error: unknown, now = performance.now()): void {
  const disk = diskOfCode[asDatabaseError(error).code ?? ""];
  if (disk) refusedAt[disk] = now;
}

export function isDiskFull(disk: Disk, now = performance.now()): boolean {
  return now - refusedAt[disk] < heldMs;
}

/** Notes it of every statement of this connection. */
export function noteFullDisks(client: Pick<Client, "query">): void {
  aroundQuery(client, () => noteFailure);
}

function noteFailure(error?: unknown): void {
  if (error !== undefined) noteFullDisk(error);
}
