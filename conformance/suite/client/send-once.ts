// Sends a request with exactly these bytes, in the pace of a server that limits the rate, and reads what comes back.

import { appendFileSync, statSync } from "node:fs";
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { isHarmless, type Reply, type Request } from "../contract/http-request.ts";
import { named } from "../values/redact.ts";
import { endAsNotRun, outsideOfRule, running } from "../values/running.ts";
import { target } from "../values/target.ts";

// Paces requests and repeats refused ones on a server that limits the rate.

const maxAttempts = 8;
const maxAttemptsWhenBusy = 4;
const maxWaitSeconds = 120;

/** No request starts before this time (ms of performance.now()): an answer 429 asked to wait. */
let blockedUntil = 0;

/** Start of the last request of a paced run, in ms of performance.now(). */
let lastStart = 0;

/** While the server says that it takes so many more requests at once, a paced run sends without waiting. Others may share its limit. */
const reserve = 20;

/** Requests that the server takes at once, by the `RateLimit` header of its last answer; null: it does not say. */
let remaining: number | null = null;

type Answered = Pick<Reply, "status" | "headers">;

/** Is told before each wait how long that takes; throws where there is no time for it. */
type BeforeWait = (milliseconds: number) => void;

/** `isRepeatable`: whether the request may be sent again after a 503; one that 429 refuses always may. */
type Retries = { beforeWait?: BeforeWait; isRepeatable?: boolean };

/**
 * Keeps the run's pace; after an answer 429 waits as `Retry-After` says and repeats the request. The same after a 503 of a server of someone
 * else, which may be busy with others.
 */
export async function withRateLimitRetries<T extends Answered>(attempt: () => Promise<T>, how: Retries = {}): Promise<T> {
  const { beforeWait = () => {}, isRepeatable = true } = how;
  for (let tried = 1; ; tried += 1) {
    await outsideOfRule(() => waitForTurn(beforeWait));
    const reply = await attempt();
    remaining = remainingOf(reply);
    if (isBusy(reply) && isRepeatable && tried < maxAttemptsWhenBusy) {
      const milliseconds = (secondsOf(reply.headers["retry-after"]) ?? 0) * 1000;
      beforeWait(milliseconds);
      await outsideOfRule(() => sleep(milliseconds));
      continue;
    }
    if (reply.status !== 429 || tried === maxAttempts) return reply;
    const seconds = secondsOf(reply.headers["retry-after"]) ?? 2 ** (tried - 1);
    if (seconds > maxWaitSeconds) return reply;
    blockedUntil = Math.max(blockedUntil, performance.now() + seconds * 1000);
  }
}

/** Whether a server of someone else asks to come again later, in at most two minutes. */
function isBusy(reply: Answered): boolean {
  return asksToComeAgain(reply) && (secondsOf(reply.headers["retry-after"]) ?? 0) <= maxWaitSeconds;
}

const asksToComeAgain = ({ status, headers }: Answered): boolean =>
  target().foreign && status === 503 && secondsOf(headers["retry-after"]) !== null;

/** Ends the rule as "not run" where a server of someone else has refused its request in every attempt: the answer says nothing about the rule. */
export function expectNotRefused(reply: Answered): void {
  if (reply.status === 429 && target().foreign) endAsNotRun("the server's rate limit refused its request in every attempt");
  if (asksToComeAgain(reply)) endAsNotRun("the server was busy (503 with Retry-After) in every attempt");
}

/** Seconds of a `Retry-After`, which is a number of them or a date (RFC 9110 10.2.3). */
export function secondsOf(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}

/** `RateLimit: "read";r=299;t=1` (draft-ietf-httpapi-ratelimit-headers); of several the least. */
function remainingOf({ headers }: Answered): number | null {
  const found = [...String(headers.ratelimit ?? "").matchAll(/;\s*r=(\d+)/gi)].map(([, digits]) => Number(digits));
  return found.length > 0 ? Math.min(...found) : null;
}

async function waitForTurn(beforeWait: BeforeWait): Promise<void> {
  const { pace } = target();
  if (pace !== null && remaining !== null && remaining >= reserve) {
    remaining -= 1; // several may start before the next answer
    lastStart = performance.now();
  } else if (pace !== null) {
    const start = Math.max(lastStart + 1000 / pace, performance.now());
    beforeWait(start - performance.now());
    lastStart = start;
    await waitUntil(start);
  }
  while (performance.now() < blockedUntil) {
    beforeWait(blockedUntil - performance.now());
    await waitUntil(blockedUntil);
  }
}

async function waitUntil(time: number): Promise<void> {
  const left = time - performance.now();
  if (left > 0) await sleep(left);
}

// Sends one request with exactly these bytes, and reads what comes back.

type Answer = { message: IncomingMessage; bytes: Buffer };
type Sending = { outgoing: ClientRequest; answer: Promise<Answer> };

const maxShownPath = 100;
const options = { keepAlive: true, maxSockets: 64 };
const plain = { agent: new Agent(options), start: httpRequest };
const tls = { agent: new TlsAgent(options), start: tlsRequest };

const readOnlyReason = "left out by --read-only: it sends a request that may change something";

/** Ends the rule as "not run" where `--read-only` forbids the request. */
export function expectReadOnly(request: Request): void {
  if (target().protection?.readOnly && !isHarmless(request)) endAsNotRun(readOnlyReason);
}

/** Sends the request once, without waiting for rate limits. */
export async function sendOnce(request: Request): Promise<Reply> {
  const startedAt = Date.now();
  const { message, bytes } = await exchange(request).catch((error: NodeJS.ErrnoException) => failWhereEnded(request, error));
  const text = bytes.toString("utf8");
  const reply = { status: message.statusCode ?? 0, headers: message.headers, text, body: parsed(text) };
  logRequest(request, reply, startedAt);
  return reply;
}

// A server of someone else that ends while rules run: those that follow say nothing of it.

const refusedCodes = ["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH"];
/** How long a server may take to come back. */
const longestRestartMs = 5_000;

/** Whether the server comes back, while that is waited for; null: it is there. */
let comesBack: Promise<boolean> | null = null;
/** The rule in which it has ended, or `preparation`. */
let endedIn: unknown = null;

/** The rule in which the server ends fails, and says so; where it does not come back, the others end as "not run". */
export async function failWhereEnded({ server }: Pick<Request, "server">, error: NodeJS.ErrnoException): Promise<never> {
  if (!target().foreign || server !== undefined || !isRefused(error)) throw error;
  const rule = running() ?? "preparation";
  if (endedIn !== null && endedIn !== rule) endAsNotRun(`the server has ended: ${error.message}`);
  comesBack ??= outsideOfRule(isBackInTime);
  const isBack = await comesBack;
  if (isBack) comesBack = null;
  else endedIn ??= rule;
  error.message = `the server ended while this rule ran${isBack ? ", and has come back" : ""}: ${error.message}`;
  throw error;
}

async function isBackInTime(): Promise<boolean> {
  for (const deadline = performance.now() + longestRestartMs; performance.now() < deadline; await sleep(200)) {
    const refused = await exchange({ method: "HEAD", path: "/", key: null }).then(() => false, isRefused);
    if (!refused) return true;
  }
  return false;
}

const isRefused = ({ code }: NodeJS.ErrnoException): boolean => refusedCodes.includes(code ?? "");

/** The server may close a kept-alive connection just when it is reused; it has not read the request then, so a new connection sends it again. */
function exchange(request: Request): Promise<Answer> {
  const { outgoing, answer } = sendOut(request);
  return answer.catch((error: NodeJS.ErrnoException) => {
    if (outgoing.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE")) return exchange(request);
    throw error;
  });
}

function sendOut(request: Request): Sending {
  expectReadOnly(request);
  const { method = "GET", path, server, key, headers, body, cuts = [], pauseMs = 0 } = request;
  const chunked = request.chunked ?? cuts.length > 0;
  const { url, keys, limits } = target();
  const base = new URL(server ?? url);
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const sent: Record<string, string | number> = { ...headers };
  if (key !== null) sent.Authorization = `Bearer ${key ?? keys.main}`;
  if (bytes && !chunked) sent["Content-Length"] = bytes.length;
  const { agent, start } = base.protocol === "https:" ? tls : plain;
  const outgoing = start(base.origin, { agent, method, path: base.pathname.replace(/\/$/, "") + path, headers: sent });
  const answer = new Promise<Answer>((resolve, reject) => {
    outgoing
      .on("error", reject)
      .on("response", (message) => void readAll(message).then((read) => resolve({ message, bytes: read }), reject))
      .on("response", (message) => message.once("end", () => outgoing.writableEnded || outgoing.destroy())); // refused before its body
    outgoing.setTimeout(limits.request * 1000, () => {
      reject(new Error(`no answer to ${method} ${path.slice(0, maxShownPath)} within ${limits.request} s`));
      outgoing.destroy();
    });
  });
  const writeBody = (): void => void writePieces(outgoing, piecesOf(bytes, cuts), pauseMs);
  if (headers?.Expect === "100-continue") afterContinue(outgoing, writeBody);
  else writeBody();
  return { outgoing, answer };
}

/** A client does not wait for ever, because the answer may be lost on its way (RFC 9110 10.1.1). */
function afterContinue(outgoing: ClientRequest, write: () => void): void {
  const begin = (): void => {
    clearTimeout(timer);
    outgoing.off("continue", begin);
    write();
  };
  const timer = setTimeout(begin, longestContinueMs);
  outgoing
    .once("continue", begin)
    .once("close", () => clearTimeout(timer))
    .flushHeaders();
}

const longestContinueMs = 5_000;

async function writePieces(outgoing: ClientRequest, pieces: readonly Buffer[], pauseMs: number): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0 && pauseMs > 0) await sleep(pauseMs);
    outgoing.write(piece);
  }
  outgoing.end();
}

function piecesOf(bytes: Buffer | undefined, cuts: readonly number[]): Buffer[] {
  if (!bytes) return [];
  const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter(({ length }) => length > 0);
}

/** A stream has no end: its first event is enough. */
async function readAll(message: IncomingMessage): Promise<Buffer> {
  const bytes: Buffer[] = [];
  for await (const chunk of message) {
    bytes.push(chunk);
    if (isStream(message) && Buffer.concat(bytes).includes("\n\n")) break;
  }
  return Buffer.concat(bytes);
}

const isStream = ({ headers }: IncomingMessage): boolean => headers["content-type"]?.startsWith("text/event-stream") ?? false;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Writes all requests of a run to a file (`--har`).

/** A request with its answer, as the report needs it. */
export type LoggedRequest = {
  rule: string;
  startedAt: number;
  milliseconds: number;
  method: string;
  url: string;
  requestHeaders: [string, string][];
  requestBody: string | null;
  status: number;
  responseHeaders: [string, string][];
  responseBody: string;
};

/** Name of the file that has a byte for each request that was left out, beside the file of all requests. */
export const leftOutFile = (requests: string): string => `${requests}.left-out`;

/** Appends the request and its answer to the file of all requests, if this run has one (`--har`), until the file is full. */
function logRequest(request: Request, reply: Reply, startedAt: number): void {
  const { requests, maxRequestBytes, url, keys } = target();
  if (requests === null) return;
  if ((statSync(requests, { throwIfNoEntry: false })?.size ?? 0) >= maxRequestBytes) return void appendFileSync(leftOutFile(requests), ".");
  const { method = "GET", path, server = url, headers = {}, key, body } = request;
  const name = key === null ? null : (named(target()).find(([secret]) => secret === (key ?? keys.main))?.[1] ?? "…");
  const sent: LoggedRequest = {
    rule: running()?.fullName ?? "",
    startedAt,
    milliseconds: Date.now() - startedAt,
    method,
    url: server + path,
    requestHeaders: [...(name ? [["Authorization", `Bearer ${name}`] as [string, string]] : []), ...Object.entries(headers)],
    requestBody: body === undefined ? null : Buffer.from(body).toString("utf8"),
    status: reply.status,
    responseHeaders: Object.entries(reply.headers).map(([header, value]) => [header, String(value)]),
    responseBody: reply.text,
  };
  appendFileSync(requests, `${JSON.stringify(sent)}\n`);
}
