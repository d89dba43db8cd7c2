// What a run has changed of a streamer of a server of someone else, in a file: a JSON object a line, to which the command and the processes of
// the rules add. After a crash it tells the next run what is left. It contains no credential.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import type { AlertState } from "../../values/protection.ts";

export type Members = Record<string, unknown>;

/** A run that has taken the journal, and how it found the streamer; null: that could not be read. */
export type Run = { found: AlertState | null; startedAt: string; host: string; pid: number };

/** A request that is about to be sent: `shows`: what the alert shows that it raises; `creates`: where the object is listed that it creates. */
export type Announced = { shows?: Members; creates?: string; sentAt?: string };

type Line = Announced & {
  run?: Run;
  /** Token of a request that is announced; of one of which is known what came of it. */
  sent?: string;
  settled?: string;
  /** Paths of donations, webhooks and alert files of the suite. Null: a donation of which no answer has named the id. */
  made?: (string | null)[];
  /** Those that are deleted, or void. */
  gone?: string[];
  /** Settings that the suite has sent, or that were answered to it. */
  wrote?: Members;
  /** The settings are as they were found. */
  restored?: boolean;
};

/** What the lines say together. `made` and not `gone`: to be taken back. `unnamed`: donations without an id. */
const nothing = () => ({
  run: null as Run | null,
  made: new Set<string>(),
  gone: new Set<string>(),
  unnamed: 0,
  unanswered: new Map<string, Announced>(),
  written: [] as Members[],
});
type Noted = ReturnType<typeof nothing>;

const known = new Map<string, { noted: Noted; read: number }>();

export const note = (journal: string, line: Line): void => appendFileSync(journal, `${JSON.stringify(line)}\n`, { mode: 0o600 });

/** Begins the file anew, for this run. */
export function beginJournal(journal: string, run: Run): void {
  known.delete(journal);
  writeFileSync(journal, `${JSON.stringify({ run })}\n`, { mode: 0o600 });
}

/** What the file says by now: of this process, of others of the run, or of a run before. Nothing where there is no file. */
export function notedIn(journal: string): Noted {
  const bytes = existsSync(journal) ? readFileSync(journal) : Buffer.alloc(0);
  const before = known.get(journal);
  const { noted, read } = before && before.read <= bytes.length ? before : { noted: nothing(), read: 0 };
  const end = Math.max(read, bytes.lastIndexOf("\n") + 1);
  for (const line of bytes.subarray(read, end).toString("utf8").split("\n")) take(membersOf(line), noted);
  known.set(journal, { noted, read: end });
  return noted;
}

function take({ run, sent, settled = "", made = [], gone = [], wrote, restored, ...announced }: Line, noted: Noted): void {
  noted.run = run ?? noted.run;
  if (sent !== undefined) noted.unanswered.set(sent, announced);
  noted.unanswered.delete(settled);
  for (const path of made) path === null ? (noted.unnamed += 1) : noted.made.add(path);
  for (const path of gone) noted.gone.add(path);
  if (wrote) noted.written.push(wrote);
  if (restored) noted.written = [];
}

/** The members of a JSON object; none of anything else, such as a line that a crash has cut off. */
export function membersOf(text: string | Uint8Array = ""): Members {
  try {
    const value: unknown = JSON.parse(Buffer.from(text).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
  } catch {
    return {};
  }
}
