// Tells from requests and their answers what is the suite's own on a server: donations, alerts, webhooks, alert files, settings. Nothing else is
// taken back. On a server of someone else the journal has it.

import { randomUUID } from "node:crypto";
import { operationAt } from "../../contract/contract.ts";
import { type Effect, effectOf, pathnameOf } from "../../contract/effects.ts";
import type { Reply, Request } from "../../contract/http-request.ts";
import { resources } from "../../contract/resources.ts";
import { type Members, membersOf, note } from "./journal.ts";

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
  const lines = answer.body === undefined ? (answer.text ?? "").split("\n").map((line) => membersOf(line)) : [];
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
