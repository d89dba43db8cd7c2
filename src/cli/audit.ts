// The commands that check and print the audit log.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { StoredEntry } from "../audit/audit-log.ts";
import { type AuditLine, type AuditVerified, type ChainHead, linesSince, verifyChains } from "../audit/chains.ts";
import { jsonLine } from "../base/text.ts";
import { streamerStore } from "../donations/streamers.ts";
import { type Command, type CommandDeps, checkDateTime, checkEnum, type Input } from "./command.ts";

const formats = ["ndjson", "csv"] as const;

export const auditCommands: Command[] = [
  {
    usage:
      "audit verify [--heads FILE]    (checks every chain; FILE: what it printed before; exit code 1 if a line was changed or is missing)",
    options: { heads: "once" },
    run: async ({ knex }, { get }) => verifyChains(knex, await readHeads(get("heads"))),
    isFailure: (result) => (result as AuditVerified).broken.length > 0,
  },
  {
    usage: "audit export [--since DATE-TIME] [--streamer HANDLE] [--format ndjson|csv]    (prints the lines in the order of their times)",
    options: { since: "once", streamer: "once", format: "once" },
    run: exportLines,
  },
];

/** Prints line by line, so that a log of any length needs little memory. */
async function exportLines({ knex }: CommandDeps, { get }: Input): Promise<void> {
  const since = checkDateTime("since", get("since") ?? "1970-01-01T00:00:00Z");
  const handle = get("streamer");
  const chain = handle === undefined ? null : (await streamerStore(knex).require(handle)).id;
  const format = checkEnum("format", get("format") ?? "ndjson", formats);
  if (format === "csv") await print(`${columns.join(",")}\r\n`);
  for await (const line of linesSince(knex, { since, chain })) await print(format === "csv" ? csvOf(line) : jsonOf(line));
}

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

function jsonOf({ entry, ...line }: AuditLine): string {
  return `${jsonLine({ ...line, ...(JSON.parse(entry) as StoredEntry) })}\n`;
}

const columns = ["chain", "number", "at", "action", "outcome", "actor", "actorId", "from", "target", "details", "actorDetails", "hash"];

/** RFC 4180. */
function csvOf({ chain, number, at, entry, hash }: AuditLine): string {
  const { action, outcome, actor, target, details } = JSON.parse(entry) as StoredEntry;
  const { kind, id, from, ...others } = actor;
  const cells = [chain, number, at, action, outcome, kind, id, from, target, JSON.stringify(details), JSON.stringify(others), hash];
  return `${cells.map((cell) => cellOf(String(cell ?? ""))).join(",")}\r\n`;
}

/** A spreadsheet would run a cell that begins like a formula. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The heads of what `audit verify` printed. Throws an Error that names the file and its fault. */
async function readHeads(file: string | undefined): Promise<ChainHead[]> {
  if (file === undefined) return [];
  try {
    const { heads } = JSON.parse(await readFile(file, "utf8")) as AuditVerified;
    if (!heads.every(isHead)) throw new Error("a head needs chain, number and hash");
    return [...heads];
  } catch (error) {
    throw new Error(`--heads ${file} is not what audit verify prints: ${(error as Error).message}`);
  }
}

function isHead({ chain, number, hash }: ChainHead): boolean {
  return typeof chain === "string" && Number.isSafeInteger(number) && /^[0-9a-f]{64}$/.test(hash);
}
