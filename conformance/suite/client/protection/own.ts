// Tells from requests and their answers what is the suite's own on a server: donations, alerts, webhooks, alert files, settings. Nothing else is
// taken back. On a server of someone else the journal has it.

import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { operationAt } from "../../contract/contract.ts";
import { type Effect, effectOf, pathnameOf, type Reply, type Request } from "../../contract/http-request.ts";
import { resources } from "../../contract/resources.ts";
import type { AlertState } from "../../values/target.ts";

type Sent = Pick<Request, "method" | "path" | "key" | "body">;
type Answered = Pick<Reply, "status" | "body"> & { text?: string };

/** `token`: for the answer; null: the next run need not know of the request where nobody sees that. */
export type Sending = { request: Sent; effect: Effect; token: string | null };

/** Where objects are listed that requests create and delete. */
const lists = resources.map(({ path }) => path);

const existing = new Map<string, Request["key"]>();

/** The webhooks and alert files that requests of this process have created and not deleted, on any server: by path, with the key. */
export const ownObjects = (): ReadonlyMap<string, Request["key"]> => existing;

export const pathOfDonation = (id: unknown): string => `/api/v1/donations/${id}`;

/** Notes, before it is sent, a request that raises an alert, creates an object or changes settings. */
export function announce(journal: string | null, request: Sent, effect: Effect = effectOf(request)): Sending {
  if (journal === null) return { request, effect, token: null };
  const [creates, shows] = [createdIn(request), effect === "alert" ? alertOf(request) : null];
  const token = creates || shows ? randomUUID() : null;
  if (token) note(journal, { sent: token, sentAt: new Date().toISOString(), ...(creates && { creates }), ...(shows && { shows }) });
  if (effect === "settings") note(journal, { wrote: membersOf(request.body) });
  if (effect === "timer" && !notedIn(journal).timer) note(journal, { timer: true });
  return { request, effect, token };
}

/** Notes what the answer names. After a 5xx something may have been done all the same. */
export function noteAnswer(journal: string | null, { request, effect, token }: Sending, answer: Answered): void {
  const { method, path, key } = request;
  const { status } = answer;
  const data = dataOf(answer);
  const list = createdIn(request);
  const created = list && idIn(data?.id) ? `${list}/${data?.id}` : null;
  if (created) existing.set(created, key);
  const isGone = method === "DELETE" && (status === 204 || (status === 404 && existing.get(path) === key)) && existing.delete(path);
  const made = created ? [created] : effect === "alert" || effect === "donation" ? recordedBy(request, answer) : [];
  const isSettled = token !== null && status < 500 && (list === null || created !== null || status >= 300);
  const line = {
    ...(isSettled && { settled: token }),
    ...(made.length > 0 && { made }),
    ...(isGone && { gone: [path] }),
    ...(effect === "settings" && data && { wrote: data }),
  };
  if (journal !== null && Object.keys(line).length > 0) note(journal, line);
}

/** The list of the object that the request creates. */
function createdIn({ method, path }: Sent): string | null {
  const list = pathnameOf(path).replace(/\/$/, "");
  return method === "POST" && lists.includes(list) ? list : null;
}

/** What the alert will show that the request raises, of the API or of a tool call; null: not to be told from the request. */
function alertOf({ path, body }: Sent): Members | null {
  const sent = membersOf(body);
  const { arguments: ofTool, name: tool } = (sent.params ?? {}) as { arguments?: Members; name?: unknown };
  const { donationId, donatorName, amount, message } = ofTool ?? sent;
  const replayed = /\/donations\/([^/?]+)\/replay/.exec(path)?.[1] ?? donationId;
  if (replayed !== undefined) return { donationId: replayed };
  const texts = Object.fromEntries(Object.entries({ donatorName, amount, message }).filter(([, value]) => value !== undefined));
  if (/\/alerts\/test\b/.test(path) || tool === "send_test_alert") return { ...texts, source: "test" };
  return donatorName !== undefined && amount !== undefined ? texts : null;
}

/** The donations that an answer says were recorded, by one request or by an import: of a list, or of lines. */
function recordedBy({ method = "GET", path }: Sent, answer: Answered): (string | null)[] {
  if (answer.status < 200 || answer.status > 299) return [];
  const data = dataOf(answer);
  const id = data?.id ?? data?.donationId; // of a donation, or of an alert
  const lines = data ? [] : (answer.text ?? "").split("\n").map((line) => membersOf(line)); // one line alone is a JSON text as well
  const imported = ((data?.outcomes ?? lines) as Members[]).filter(({ status }) => status === 201).map(({ donationId }) => donationId);
  const isOne = id !== undefined || operationAt(method, pathnameOf(path))?.id === "createDonation";
  return [...(isOne ? [id] : []), ...imported].map((one) => idIn(one) && pathOfDonation(one));
}

/** An id that can stand in a path as it is. */
const idIn = (id: unknown): string | null => (typeof id === "string" && /^[\w.~:-]+$/.test(id) ? id : null);

/** The data of a successful answer of the API, or of a tool call's result. */
function dataOf({ status, body }: Answered): Members | null {
  const { data, result } = (body ?? {}) as { data?: Members | null; result?: { structuredContent?: { data?: Members } } };
  return status >= 200 && status < 300 ? (data ?? result?.structuredContent?.data ?? null) : null;
}

// What a run has changed of a streamer of a server of someone else, in a file: a JSON object a line, to which the command and the processes of
// the rules add. After a crash it tells the next run what is left. It contains no credential.

export type Members = Record<string, unknown>;

/** A run that has taken the journal, and how it found the streamer; null: that could not be read. */
export type Run = { found: AlertState | null; startedAt: string; host: string; pid: number };

/** A request that is about to be sent: `shows`: what the alert shows that it raises; `creates`: where the object is listed that it creates. */
type Announced = { shows?: Members; creates?: string; sentAt?: string };

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
  /** Whether the suite may have changed the timer and has not put it back. */
  timer?: boolean;
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
  timer: false,
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

function take({ run, sent, settled = "", made = [], gone = [], wrote, timer, restored, ...announced }: Line, noted: Noted): void {
  noted.run = run ?? noted.run;
  if (sent !== undefined) noted.unanswered.set(sent, announced);
  noted.unanswered.delete(settled);
  for (const path of made) path === null ? (noted.unnamed += 1) : noted.made.add(path);
  for (const path of gone) noted.gone.add(path);
  if (wrote) noted.written.push(wrote);
  noted.timer = timer ?? noted.timer;
  if (restored) noted.written = [];
}

/** The members of a JSON object; none of anything else, such as a line that a crash has cut off. */
function membersOf(text: string | Uint8Array = ""): Members {
  try {
    const value: unknown = JSON.parse(Buffer.from(text).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
  } catch {
    return {};
  }
}
