// A request that is sent exactly as it says, the reply to it, and what it changes on a server, read from the request alone.

import type { IncomingHttpHeaders } from "node:http";
import { type Operation, operationAt, operations } from "./contract.ts";
import { resources } from "./resources.ts";

/** A request that is sent with exactly this path and these bytes. */
export type Request = {
  method?: string;
  path: string;
  /** Address of another process than the one under test. */
  server?: string;
  /** Bearer credential; by default the main key, null for none. */
  key?: string | null;
  /** With `Expect: 100-continue` the body is sent once the server asks for it. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Sends the body chunked, without Content-Length; by default when it is cut. */
  chunked?: boolean;
  /** Sends it in pieces that end at these bytes. */
  cuts?: readonly number[];
  /** Waits for so long before each further piece, so that the server reads the pieces one by one. */
  pauseMs?: number;
};

export type Reply = { status: number; headers: IncomingHttpHeaders; text: string; body: unknown };

// What a request changes on a server, read from the request alone.

/** What a request may change. */
export type Effect =
  | "nothing"
  | "donation" // records a donation without an alert, or voids one that the suite has recorded
  | "alert" // adds an alert to the queue
  | "settings" // changes how alerts are shown
  | "queue" // pauses, resumes, hides, holds, plays or ends alerts
  | "timer" // starts, changes or ends the timer
  | "webhook" // changes where events are sent, by webhooks of the suite's own (own.ts)
  | "object" // creates or deletes something of the suite's own (own.ts) that no page shows, such as an alert file that no variation names
  | "credential" // issues or revokes tokens, or starts a login
  | "form"; // whatever a form of the studio does, whose answer does not say it

/**
 * Every operation that changes something, beside those that create or delete a resource; one that reads is not listed. `createDonation`,
 * `importDonations`, `streamOverlay`: the request decides.
 */
const effects: Record<string, Effect> = {
  createDonation: "alert",
  importDonations: "donation",
  voidDonation: "queue",
  eraseDonator: "queue", // of the suite's own donations; a waiting alert of theirs loses its speech
  sendTestAlert: "alert",
  replayAlert: "alert",
  updateAlertSettings: "settings",
  pauseAlerts: "queue",
  resumeAlerts: "queue",
  skipAlert: "queue",
  skipOneAlert: "queue",
  playAlertNext: "queue",
  leadOverlay: "queue",
  clearAlerts: "queue",
  hideAlerts: "queue",
  unhideAlerts: "queue",
  approveAlert: "queue",
  denyAlert: "queue",
  maskAlert: "queue",
  streamOverlay: "queue",
  startTimer: "timer",
  updateTimerRules: "timer",
  pauseTimer: "timer",
  resumeTimer: "timer",
  adjustTimer: "timer",
  endTimer: "timer",
  startPlayback: "queue",
  endPlayback: "queue",
  createWebhook: "webhook",
  updateWebhook: "webhook",
  deleteWebhook: "webhook",
  rotateWebhookSecret: "webhook",
  redeliverWebhook: "webhook",
  recoverWebhook: "webhook",
  sendTestEvent: "webhook",
  authorize: "credential",
  issueToken: "credential",
  revokeToken: "credential",
  registerClient: "credential",
  createEventTicket: "credential",
};

/** Operations that change something and have no line above, and lines of operations that the contract no longer has. */
export function effectFaults(all: readonly Pick<Operation, "id" | "method">[] = operations): string[] {
  const file = "conformance/suite/contract/http-request.ts";
  const changing = all.filter((one) => one.method !== "GET" && !(one.id in effects) && !changesResource(one));
  return [
    ...changing.map(({ id }) => `${id} may change something: say in ${file} what, and how that is put back`),
    ...Object.keys(effects)
      .filter((name) => !all.some(({ id }) => id === name))
      .map((name) => `${name} is no operation of the contract: take it out of ${file}`),
  ];
}

/** Whether the operation creates or deletes a resource. */
const changesResource = ({ id }: Pick<Operation, "id">): boolean =>
  resources.some(({ create, remove }) => create.id === id || remove.id === id);

type Sent = Pick<Request, "method" | "path" | "body">;

/**
 * Whether the request may be sent again after a 503, which need not mean that nothing was done. A donation may: no rule minds a second one
 * that a server recorded and did not say so.
 */
export function isRepeatable(request: Sent): boolean {
  const { method = "GET", path, body = "" } = request;
  if (method !== "POST") return true;
  const id = operationAt(method, path.split("?")[0] ?? "")?.id;
  if (id === "issueToken") return !/"?(?:code|refresh_token)"?\s*[=:]/.test(Buffer.from(body).toString("latin1")); // good for one use
  return id === "createDonation" || id === "revokeToken" || effectOf(request) === "donation" || effectOf(request) === "nothing";
}

const readingMethods = ["GET", "HEAD", "OPTIONS"];

/** What the request may change where the server accepts it. */
export function effectOf(request: Sent): Effect {
  const { method = "GET", path } = request;
  const [, query = ""] = path.split("?");
  const pathname = pathnameOf(path);
  const operation = operationAt(method, pathname);
  if (operation?.id === "createDonation") return raisesAlert(request.body) ? "alert" : "donation";
  if (operation?.id === "importDonations") return importsAlert(request.body) ? "alert" : "donation";
  if (operation?.id === "streamOverlay") return playsAlerts(query) ? "queue" : "nothing";
  if (operation) return effects[operation.id] ?? (changesResource(operation) ? "object" : isReading(method) ? "nothing" : "queue");
  if (isReading(method)) return "nothing";
  if (pathname === "/mcp") return effectOfToolCall(request.body);
  if (pathname.startsWith("/studio/")) return "form";
  return /alerts|replay|overlay/i.test(pathname) ? "queue" : "nothing"; // a server may route more than the contract says
}

/** Whether the request only reads: neither its method nor its operation changes anything. */
export const isHarmless = (request: Sent): boolean => isReading(request.method ?? "GET") && effectOf(request) === "nothing";

const isReading = (method: string): boolean => readingMethods.includes(method.toUpperCase());

/** The path as most servers read it: decoded, without repeated slashes and without the query. */
export function pathnameOf(path: string): string {
  const [pathname = ""] = path.split("?");
  try {
    return decodeURIComponent(pathname).replace(/\/+/g, "/");
  } catch {
    return pathname;
  }
}

/** An imported donation raises an alert only on request. */
function importsAlert(body: Sent["body"] = ""): boolean {
  return /"skipAlert"\s*:\s*false/.test(Buffer.from(body).toString());
}

/** Anything but a readable `skipAlert: true`; a server may read a body that the suite takes for broken. */
function raisesAlert(body: Sent["body"]): boolean {
  const { skipAlert } = parsed(body);
  return skipAlert !== true;
}

/** A page without `plays` only listens. */
function playsAlerts(query: string): boolean {
  const plays = new URLSearchParams(query).getAll("plays");
  return plays.some((value) => value !== "false");
}

/** A tool is an operation of the contract, and `tools/call` names it. */
function effectOfToolCall(body: Sent["body"]): Effect {
  const text = body === undefined ? "" : Buffer.from(body).toString("utf8");
  if (!text.includes("tools/call")) return "nothing";
  const called = operations.filter(({ id }) => id in effects && text.includes(`"${toolName(id)}"`));
  const [found] = called.map(({ id }) => effects[id] as Effect);
  return called.some(({ id }) => id === "createDonation") && /"skipAlert"\s*:\s*true/.test(text) ? "donation" : (found ?? "nothing");
}

/** The tool of an operation. */
export const toolName = (id: string): string => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function parsed(body: Sent["body"]): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(body ?? "").toString("utf8")) ?? {};
  } catch {
    return {};
  }
}
