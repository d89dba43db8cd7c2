// The commands that check and print the audit log.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Option } from "@commander-js/extra-typings";
import type { StoredEntry } from "../audit/audit-log.ts";
import { type AuditLine, type AuditVerified, type ChainHead, linesSince, verifyChains } from "../audit/chains.ts";
import { jsonLine } from "../base/text.ts";
import { streamerStore } from "../donations/streamers.ts";
import { type AddCommands, type CommandDeps, readDateTime } from "./command.ts";

export const addAuditCommands: AddCommands = (program, does) => {
  const audit = program.command("audit").description("the log of who did what");
  audit
    .command("verify")
    .description("checks every chain; exit code 1 if a line was changed or is missing")
    .option("--heads <file>", "what it printed before")
    .action(
      does(async ({ knex }, { heads }) => verifyChains(knex, await readHeads(heads)), { isFailure: ({ broken }) => broken.length > 0 }),
    );
  audit
    .command("export")
    .description("prints the lines in the order of their times")
    .option("--since <date-time>", "from this time on", readDateTime, new Date(0))
    .option("--streamer <handle>", "of this streamer alone")
    .addOption(new Option("--format <format>").choices(["ndjson", "csv"]).default("ndjson"))
    .action(does(exportLines));
};

type ExportOptions = { since: Date; streamer?: string; format: string };

/** Prints line by line, so that a log of any length needs little memory. */
async function exportLines({ knex }: CommandDeps, { since, streamer, format }: ExportOptions): Promise<void> {
  const chain = streamer === undefined ? null : (await streamerStore(knex).require(streamer)).id;
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
