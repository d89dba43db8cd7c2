// A journal says how a run found a streamer of a server of someone else. It exists as long as that may have to be put back: a run
// that was killed leaves it for the next one. It contains no credential.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

import { type NotedObjects, notedObjects } from "../client/protection/own-objects.ts";
import type { AlertState } from "../values/protection.ts";
import { NotMeasurable } from "./usage-error.ts";

/** Whose journal it is: a streamer of a server. `streamer`: as the server names it, or a digest of the key where it does not. */
export type Subject = { server: string; streamer: string };

export type Entry = Subject & {
  found: AlertState | null;
  startedAt: string;
  process: { host: string; pid: number; startTime: string | null };
};

export type Journal = {
  streamer: string;
  /** What a run that was killed has left; null: nothing. */
  left: Entry | null;
  /** File with the suite's own donations with an alert (own-alerts.ts). */
  ownAlerts: string;
  /** File with the settings that the suite has written since they were last put back. */
  ownSettings: string;
  /** File with the ids of the donations that the suite has recorded. */
  ownDonations: string;
  /** File with the webhooks and alert files that the suite has created. */
  ownObjects: string;
  /** Takes down how the run found the streamer. */
  write: (found: AlertState | null) => void;
  remove: () => void;
  file: string;
};

export const digestOfKey = (key: string): string => `sha256:${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;

/** What a run that was killed has left to put back or to delete, and the journal that says so; null: nothing. Changes no file. */
export function findLeft(folder: string, { server, streamer }: Subject): { entry: Entry; objects: NotedObjects; file: string } | null {
  const file = fileOf(folder, { server, streamer });
  const entry = readEntry(file);
  const objects = notedObjects(besides(file, "objects"));
  return entry && (entry.found || objects.existing.length > 0) && !isRunning(entry.process) ? { entry, objects, file } : null;
}

/** Opens the streamer's journal and keeps it for this run. Throws NotMeasurable while another run has it. */
export function openJournal(folder: string, { server, streamer }: Subject): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = fileOf(folder, { server, streamer });
  const left = readEntry(file);
  if (left && isRunning(left.process)) throw new NotMeasurable(explainOtherRun(left, file));
  const own = { host: hostname(), pid: process.pid, startTime: startTimeOf(process.pid) };
  const entryOf = (found: AlertState | null, startedAt: string): string =>
    `${JSON.stringify({ server, streamer, found, startedAt, process: own }, null, 2)}\n`;
  const [ownAlerts, ownSettings, ownObjects] = [besides(file, "alerts"), besides(file, "settings"), besides(file, "objects")];
  const ownDonations = besides(file, "donations");
  const now = new Date().toISOString();
  take(file, left !== null, entryOf(left?.found ?? null, left?.startedAt ?? now));
  if (!left) rmSync(ownSettings, { force: true }); // a journal that was deleted by hand leaves it
  return {
    streamer,
    left,
    ownAlerts,
    ownSettings,
    ownObjects,
    ownDonations,
    file,
    write: (found) => writeFileSync(file, entryOf(found, left?.found === found ? left.startedAt : now), { mode: 0o600 }),
    remove: () => [file, ownAlerts, ownSettings, ownObjects, ownDonations].forEach((path) => void rmSync(path, { force: true })),
  };
}

const fileOf = (folder: string, { server, streamer }: Subject): string =>
  join(folder, `${createHash("sha256").update(`${server}\n${streamer}`).digest("hex").slice(0, 32)}.json`);

/** Another file of the same journal. */
const besides = (file: string, name: string): string => file.replace(/json$/, name);

/** Of two runs that start at once only one creates the file. */
function take(file: string, replaces: boolean, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: replaces ? "w" : "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new NotMeasurable(`another run against this server has just started (${file})`);
  }
}

function readEntry(file: string): Entry | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Entry;
  } catch (error) {
    throw new NotMeasurable(`${file}, which says how an interrupted run found the server, cannot be read: ${(error as Error).message}`);
  }
}

const explainOtherRun = ({ process: { pid, host }, startedAt, server }: Entry, file: string): string =>
  `another run tests ${server} with the same streamer since ${startedAt} (process ${pid} on ${host}): wait for its end. ${file} is its journal`;

/** A process of another machine counts as ended: it cannot be seen from here. */
function isRunning({ host, pid, startTime }: Entry["process"]): boolean {
  if (host !== hostname() || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return startTimeOf(pid) === startTime;
}

/** When the process started, in clock ticks since the machine did (proc(5)): a number is reused. Null where there is no /proc. */
function startTimeOf(pid: number): string | null {
  try {
    const [, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    return fields.join(") ").split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
