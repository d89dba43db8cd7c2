// Takes the journal of a streamer of a server of someone else (client/protection/journal.ts). It exists as long as something may have to be
// put back: a run that was killed leaves it for the next one.

import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { note, notedIn, type Run } from "../client/protection/journal.ts";
import { NotMeasurable } from "./usage-error.ts";

/** Whose journal it is: a streamer of a server. `streamer`: as the server names it, or a digest of the key where it does not. */
export type Subject = Pick<Run, "server" | "streamer">;

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

export const digestOfKey = (key: string): string => `sha256:${digest(key)}`;

export const fileOf = (folder: string, { server, streamer }: Subject): string => join(folder, `${digest(`${server}\n${streamer}`)}.ndjson`);

/** The run that has taken the journal last; null: none. Throws NotMeasurable where the file cannot be read. */
export function lastRun(journal: string): Run | null {
  const { run } = notedIn(journal);
  if (existsSync(journal) && run === null)
    throw new NotMeasurable(`${journal}, which says how an interrupted run found the server, cannot be read: it names no run`);
  return run;
}

/** Takes the journal for this run. `left`: the run that was killed and has left it. Throws NotMeasurable while another run has it. */
export function takeJournal(journal: string, { server, streamer }: Subject): { run: Run; left: Run | null } {
  mkdirSync(dirname(journal), { recursive: true, mode: 0o700 });
  const left = lastRun(journal);
  if (left && isRunning(left)) throw new NotMeasurable(explainOtherRun(left, journal));
  const own = { host: hostname(), pid: process.pid, startTime: startTimeOf(process.pid) };
  const { found, startedAt } = left ?? { found: null, startedAt: new Date().toISOString() };
  const run: Run = { server, streamer, found, startedAt, process: own };
  try {
    if (left)
      appendFileSync(journal, "\n"); // a crash may have cut off the last line
    else writeFileSync(journal, "", { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // of two runs that start at once only one creates the file
    throw new NotMeasurable(`another run against this server has just started (${journal})`);
  }
  note(journal, { run });
  return { run, left };
}

const explainOtherRun = ({ process: { pid, host }, startedAt, server }: Run, journal: string): string =>
  `another run tests ${server} with the same streamer since ${startedAt} (process ${pid} on ${host}): wait for its end. ${journal} is its journal`;

/** Whether the run goes on. A process of another machine counts as ended: it cannot be seen from here. */
export function isRunning({ process: { host, pid, startTime } }: Run): boolean {
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
  const file = `/proc/${pid}/stat`;
  return existsSync(file) ? (readFileSync(file, "utf8").split(") ").at(-1)?.split(" ")[19] ?? null) : null;
}
