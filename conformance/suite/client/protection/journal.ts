// What a run has changed of a streamer of a server of someone else, in a file: a JSON object a line, to which the command and the processes of
// the rules add. After a crash it tells the next run what is left. It contains no credential.

import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { AlertState } from "../../values/protection.ts";
import type { Holder } from "../../values/target.ts";

export type Members = Record<string, unknown>;

/** A run that has taken the journal, and how it found the streamer; `streamer`: as the server names it, or a digest of the key. */
export type Run = {
  server: string;
  streamer: string;
  found: AlertState | null;
  startedAt: string;
  process: { host: string; pid: number; startTime: string | null };
};

/** A donation as a report counts it. `id`: null where no answer has named it. */
export type Donation = { id: string | null; amount: number; createdAt: string };

/** A request that creates a webhook or an alert file, by whose key; null: of nobody whom the run was given a key of. */
export type Creation = { list: string; holder: Holder | null; sentAt: string };

/** What a request does that is about to be sent: it raises an alert that shows this, or creates an object. */
type Announced = { shows?: Members; creates?: Creation };

type Line = Announced & {
  run?: Run;
  /** Token of the request. */
  sent?: string;
  /** Token of a request of which is known what came of it. */
  settled?: string;
  recorded?: Donation[];
  /** Another donation of the suite, whose alert was raised. */
  alert?: string;
  /** Path of the object that was created; of one that is gone. */
  created?: string;
  deleted?: string;
  /** Settings that the suite has sent, or that were answered to it. */
  wrote?: Members;
  putBack?: "settings" | "donations";
};

/** What the lines say together. `own`: ids of donations. `donations`: to be voided. `written`: since settings were put back. */
type Noted = {
  run: Run | null;
  own: Set<string>;
  donations: Donation[];
  unanswered: Map<string, Announced>;
  objects: Map<string, Creation>;
  written: Members[];
};

const known = new Map<string, { noted: Noted; read: number }>();

export function note(journal: string, line: Line): void {
  appendFileSync(journal, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** Notes a request before it is sent. Returns the token for its answer. */
export function noteSent(journal: string, announced: Announced): string {
  const sent = randomUUID();
  note(journal, { sent, ...announced });
  return sent;
}

/** What the file says by now: of this process, of others of the run, or of a run before. Nothing where there is no file. */
export function notedIn(journal: string): Noted {
  const bytes = existsSync(journal) ? readFileSync(journal) : Buffer.alloc(0);
  const before = known.get(journal);
  const one = before && before.read <= bytes.length ? before : { noted: nothing(), read: 0 };
  const whole = bytes.subarray(one.read, bytes.lastIndexOf("\n") + 1);
  for (const line of whole.toString("utf8").split("\n")) take(parsed(line), one.noted);
  known.set(journal, { noted: one.noted, read: one.read + whole.length });
  return one.noted;
}

const nothing = (): Noted => ({
  run: null,
  own: new Set(),
  donations: [],
  unanswered: new Map(),
  objects: new Map(),
  written: [],
});

function take(
  { run, sent, settled = "", recorded = [], alert, created, deleted = "", wrote, putBack, ...announced }: Line,
  noted: Noted,
): void {
  noted.run = run ?? noted.run;
  if (sent !== undefined) noted.unanswered.set(sent, announced);
  const { creates } = noted.unanswered.get(settled) ?? {};
  noted.unanswered.delete(settled);
  if (created !== undefined && creates) noted.objects.set(created, creates);
  noted.objects.delete(deleted);
  noted.donations.push(...recorded);
  for (const id of [alert, ...recorded.map((one) => one.id)]) if (id) noted.own.add(id);
  if (wrote) noted.written.push(wrote);
  if (putBack === "settings") noted.written = [];
  if (putBack === "donations") noted.donations = [];
}

/** A crash may have cut a line off. */
function parsed(line: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return {};
  }
}
