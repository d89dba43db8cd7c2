// Knows which donations are the suite's own. Those with an alert are written to a file, for the next run after a crash: before the request
// is sent what it says, after its answer the id. The lines of the file:
//
//   <id>                 an own donation with an alert
//   sent <token> <JSON>  a request that may raise an alert is about to be sent; what its alert will show
//   answered <token>     it was answered

import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Effect } from "../../contract/effects.ts";
import type { Reply, Request } from "../../contract/http-request.ts";
import type { ProtectedStreamer } from "../../values/protection.ts";

type Own = Pick<ProtectedStreamer, "ownAlerts">;

/** Members of a donation, or of an alert in the queue. */
type Members = Record<string, unknown>;

type Known = {
  ids: Set<string>;
  /** Those of them that are in the file. */
  inFile: Set<string>;
  /** What the requests say that nobody has seen answered, by token. */
  unanswered: Map<string, Members>;
  /** Bytes of the file that were read. */
  read: number;
};

const known = new Map<string, Known>();
let tokens = 0;

/** Ids of the suite's own donations of this streamer. */
export const ownDonations = ({ ownAlerts }: Own): ReadonlySet<string> => knownIn(ownAlerts).ids;

/** Notes, before it is sent, a request that may raise an alert. Returns the token for its answer; null: it raises none. */
export function noteSentAlert({ ownAlerts }: Own, effect: Effect, request: Pick<Request, "path" | "body">): string | null {
  const says = effect === "alert" ? alertOf(request) : {};
  if (Object.keys(says).length === 0) return null;
  tokens += 1;
  const token = `${process.pid}-${Date.now()}-${tokens}`;
  appendFileSync(ownAlerts, `sent ${token} ${JSON.stringify(says)}\n`, { mode: 0o600 });
  return token;
}

/** Notes the donation that a request recorded or replayed. */
export function noteOwnDonation(
  { ownAlerts }: Own,
  { effect, token }: { effect: Effect; token: string | null },
  { status, body }: Pick<Reply, "status" | "body">,
): void {
  const id = status < 300 && (effect === "alert" || effect === "donation") ? donationIn(body) : null;
  const isSettled = status < 500; // after another one the donation may have been recorded all the same
  const { ids, inFile } = knownIn(ownAlerts);
  if (id !== null) ids.add(id);
  const lines = [
    ...(id !== null && effect === "alert" && !inFile.has(id) ? [id] : []),
    ...(isSettled && token !== null ? [`answered ${token}`] : []),
  ];
  if (lines.length > 0) appendFileSync(ownAlerts, `${lines.join("\n")}\n`, { mode: 0o600 });
}

/**
 * Notes as the suite's own those alerts of the queue that unanswered requests have raised: a run that is killed does not see their answers.
 * `read` resolves to the members of a donation, since the queue may show an alert masked.
 */
export async function adoptUnanswered(
  { ownAlerts }: Own,
  alerts: readonly Members[],
  read: (id: string) => Promise<Members>,
): Promise<void> {
  for (const alert of alerts) {
    const { ids, unanswered } = knownIn(ownAlerts);
    const id = String(alert.donationId);
    if (unanswered.size === 0 || ids.has(id)) continue;
    const shown = { ...alert, ...(await read(id)), donationId: id };
    const [token] = [...unanswered].find(([, says]) => isSaid(says, shown)) ?? [];
    if (token !== undefined) appendFileSync(ownAlerts, `${id}\nanswered ${token}\n`, { mode: 0o600 });
  }
}

const isSaid = (says: Members, shown: Members): boolean =>
  Object.entries(says).every(([name, value]) => isDeepStrictEqual(shown[name], value));

/** What the alert will show that the request raises, of the API or of a tool call; empty: not to be told from the request. */
function alertOf({ path, body = "" }: Pick<Request, "path" | "body">): Members {
  const sent = parsed(Buffer.from(body).toString("utf8"));
  const { arguments: ofTool, name: tool } = (sent.params ?? {}) as { arguments?: Members; name?: unknown };
  const { donationId, donatorName, amount, message } = ofTool ?? sent;
  const replayed = /\/donations\/([^/?]+)\/replay/.exec(path)?.[1] ?? donationId;
  if (replayed !== undefined) return { donationId: replayed };
  const texts = Object.fromEntries(Object.entries({ donatorName, amount, message }).filter(([, value]) => value !== undefined));
  if (/\/alerts\/test\b/.test(path) || tool === "send_test_alert") return { ...texts, source: "test" };
  return donatorName !== undefined && amount !== undefined ? texts : {};
}

/** Reads what was added to the file since: by this process, by others of the run, or by a run before. */
function knownIn(file: string): Known {
  const before = known.get(file) ?? { ids: new Set(), inFile: new Set(), unanswered: new Map(), read: 0 };
  known.set(file, before);
  const added = readFrom(file, before.read);
  const whole = added.subarray(0, added.lastIndexOf("\n") + 1); // a crash may have cut off the last line
  before.read += whole.length;
  for (const line of whole.toString("utf8").split("\n")) take(line, before);
  return before;
}

function take(line: string, { ids, inFile, unanswered }: Known): void {
  const [word = "", token = "", ...says] = line.split(" ");
  if (word === "sent") unanswered.set(token, parsed(says.join(" ")));
  else if (word === "answered") unanswered.delete(token);
  else if (word !== "") for (const set of [ids, inFile]) set.add(word);
}

function readFrom(file: string, start: number): Buffer {
  try {
    const handle = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(handle).size - start));
      return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, start));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

function parsed(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
  } catch {
    return {};
  }
}

/** The donation of an answer of the API, or of a tool call's result. */
function donationIn(body: unknown): string | null {
  const { data, result } = (body ?? {}) as { data?: unknown; result?: { structuredContent?: { data?: unknown } } };
  const { id, donationId } = (data ?? result?.structuredContent?.data ?? {}) as { id?: unknown; donationId?: unknown };
  const found = donationId ?? id;
  return typeof found === "string" ? found : null;
}
