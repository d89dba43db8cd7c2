// Tells from requests and their answers what is the suite's own on a server: donations, alerts, webhooks, alert files, settings. Nothing else is
// taken back. On a server of someone else the journal has it.

import { operationAt } from "../../contract/contract.ts";
import { type Effect, effectOf, pathnameOf } from "../../contract/effects.ts";
import type { Reply, Request } from "../../contract/http-request.ts";
import { resources } from "../../contract/resources.ts";
import { type Holder, target } from "../../values/target.ts";
import { type Creation, type Donation, type Members, note, noteSent } from "./journal.ts";

type Sent = Pick<Request, "method" | "path" | "key" | "body">;
type Answered = Pick<Reply, "status" | "body"> & { text?: string };

/** `token`: for the answer; null: the next run need not know of the request where nobody sees that. */
export type Sending = { request: Sent; effect: Effect; token: string | null };

/** Where objects are listed that requests create and delete. */
const lists = resources.map(({ path }) => path);

const existing = new Map<string, Request["key"]>();

/** The webhooks and alert files that requests of this process have created and not deleted, on any server: by path, with the key. */
export const ownObjects = (): ReadonlyMap<string, Request["key"]> => existing;

/** Notes, before it is sent, a request that raises an alert, creates an object or changes settings. */
export function announce(journal: string | null, request: Sent, effect: Effect = effectOf(request)): Sending {
  const creates = creationOf(request);
  const shows = effect === "alert" ? alertOf(request) : {};
  const isNoted = journal !== null && (creates !== null || Object.keys(shows).length > 0);
  if (journal !== null && effect === "settings") note(journal, { wrote: parsed(request.body) });
  return { request, effect, token: isNoted ? noteSent(journal, creates ? { creates } : { shows }) : null };
}

/** Notes what the answer names. After a 5xx something may have been done all the same. */
export function noteAnswer(journal: string | null, { request, effect, token }: Sending, answer: Answered): void {
  const { status } = answer;
  const data = dataOf(answer);
  const creation = creationOf(request);
  const created = creation && idIn(data?.id) ? `${creation.list}/${data?.id}` : null;
  if (created !== null) existing.set(created, request.key);
  const isGone = request.method === "DELETE" && (status === 204 || (status === 404 && existing.get(request.path) === request.key));
  const deleted = isGone && existing.delete(request.path) ? request.path : null;
  const recorded = effect === "alert" || effect === "donation" ? recordedBy(request, answer) : [];
  const alert = effect === "alert" ? idIn(data?.donationId) : null; // of a replay
  const isSettled = status < 500 && (creation === null || created !== null || status >= 300);
  const line = {
    ...(isSettled && token !== null && { settled: token }),
    ...(recorded.length > 0 && { recorded }),
    ...(alert !== null && { alert }),
    ...(created !== null && { created }),
    ...(deleted !== null && { deleted }),
    ...(effect === "settings" && data && { wrote: data }),
  };
  if (journal !== null && Object.keys(line).length > 0) note(journal, line);
}

function creationOf({ method, path, key }: Sent): Creation | null {
  const list = pathnameOf(path).replace(/\/$/, "");
  if (method !== "POST" || !lists.includes(list)) return null;
  const { keys } = target();
  const holders = Object.keys(keys) as Holder[];
  const holder = holders.find((one) => keys[one] === (key === undefined ? keys.main : key)) ?? null;
  return { list, holder, sentAt: new Date().toISOString() };
}

/** What the alert will show that the request raises, of the API or of a tool call; empty: not to be told from the request. */
function alertOf({ path, body }: Sent): Members {
  const sent = parsed(body);
  const { arguments: ofTool, name: tool } = (sent.params ?? {}) as { arguments?: Members; name?: unknown };
  const { donationId, donatorName, amount, message } = ofTool ?? sent;
  const replayed = /\/donations\/([^/?]+)\/replay/.exec(path)?.[1] ?? donationId;
  if (replayed !== undefined) return { donationId: replayed };
  const texts = Object.fromEntries(Object.entries({ donatorName, amount, message }).filter(([, value]) => value !== undefined));
  if (/\/alerts\/test\b/.test(path) || tool === "send_test_alert") return { ...texts, source: "test" };
  return donatorName !== undefined && amount !== undefined ? texts : {};
}

/** What an answer says was recorded, by one request or by an import: of a list, or of lines. */
function recordedBy({ method = "GET", path, body: sent = "" }: Sent, answer: Answered): Donation[] {
  if (answer.status < 200 || answer.status > 299) return [];
  const data = dataOf(answer);
  const isOne = operationAt(method, pathnameOf(path))?.id === "createDonation" || data?.id !== undefined;
  const lines = answer.body === undefined ? (answer.text ?? "").split("\n").map(parsed) : [];
  const imported = ((data?.outcomes ?? lines) as Members[]).filter(({ status }) => status === 201);
  const items = (parsed(sent).donations ?? Buffer.from(sent).toString("utf8").split("\n").map(parsed)) as Members[];
  return [
    ...(isOne ? [donationOf({ ...parsed(sent), ...data })] : []),
    ...imported.map(({ donationId, index }) => donationOf({ ...items[Number(index)], id: donationId })),
  ];
}

const donationOf = ({ id, amount, createdAt }: Members): Donation => ({
  id: idIn(id),
  amount: Number(amount ?? 0),
  createdAt: typeof createdAt === "string" ? createdAt : new Date().toISOString(),
});

/** An id that can stand in a path as it is. */
const idIn = (id: unknown): string | null => (typeof id === "string" && /^[\w.~:-]+$/.test(id) ? id : null);

/** The data of a successful answer of the API, or of a tool call's result. */
function dataOf({ status, body }: Answered): Members | null {
  const { data, result } = (body ?? {}) as { data?: Members | null; result?: { structuredContent?: { data?: Members } } };
  return status >= 200 && status < 300 ? (data ?? result?.structuredContent?.data ?? null) : null;
}

/** The members of a JSON object; none of anything else. */
function parsed(body: Request["body"] = ""): Members {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
  } catch {
    return {};
  }
}
