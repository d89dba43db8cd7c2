// Sends one signed request to an endpoint. The host is one that an untrusted party chose: only public addresses, no redirects, and bounds on
// time and on what is read of the answer.

import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Webhooks } from "../../config.ts";
import { lookup, type Resolve } from "../../http/public-hosts.ts";
import { faultOf } from "./address.ts";
import type { Attempt } from "./deliveries.ts";
import { wordsOf } from "./failure-words.ts";
import { signatures } from "./secret.ts";

/** `id`: of the event. `body`: JSON. */
export type Message = Readonly<{ id: string; body: string; secrets: readonly Buffer[] }>;

export type Outcome = Readonly<{
  attempt: Attempt;
  /** Milliseconds that the answer asks to wait (Retry-After); null when it does not. */
  retryAfterMs: number | null;
}>;

/** Connections to one endpoint. */
export type Connection = Readonly<{
  /** Never rejects, except with Aborted after `close`. */
  send: (message: Message) => Promise<Outcome>;
  /** Ends all requests at once. */
  close: () => void;
}>;

/** Opens no connection before something is sent. */
export type Connect = (url: string) => Connection;

export type SenderOptions = Readonly<{
  mode: Webhooks;
  resolve: Resolve;
  userAgent: string;
  /** Milliseconds since 1970. */
  now: () => number;
  timeouts?: Readonly<{ connectMs: number; wholeMs: number }>;
}>;

/** The connection was closed by this process: nothing is known of the request. */
export class Aborted extends Error {}

const defaultTimeouts = { connectMs: 5_000, wholeMs: 15_000 };
const maxConnections = 8;
const maxAnswerBytes = 1_024;
/** A longer answer is not read to its end: its connection is closed instead of being used again. */
const maxDrainedBytes = 65_536;
const maxWaitMs = 24 * 3_600_000;

export function sender(options: SenderOptions): Connect {
  return (address) => {
    const fault = faultOf(address, options.mode); // the mode may have changed since the address was accepted
    const requests = openRequests(new URL(address), options.resolve);
    return {
      send: async (message) => {
        const at = options.now();
        if (fault !== null) return { attempt: { at, status: null, ms: 0, answer: null, error: fault }, retryAfterMs: null };
        return attempt(options, requests, message);
      },
      close: requests.close,
    };
  };
}

type Requests = Readonly<{
  /** Throws Aborted after `close`. */
  open: (headers: Record<string, string | number>) => ClientRequest;
  isClosed: () => boolean;
  close: () => void;
}>;

const agentOptions = { keepAlive: true, maxSockets: maxConnections, maxFreeSockets: maxConnections, timeout: 60_000 };

/** Requests to one address over connections that are kept. */
function openRequests(url: URL, resolve: Resolve): Requests {
  const isTls = url.protocol === "https:";
  const agent = isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const underWay = new Set<ClientRequest>();
  let isClosed = false;
  return {
    open: (headers) => {
      if (isClosed) throw new Aborted();
      const options = { agent, method: "POST", headers, lookup: lookup(resolve), maxHeaderSize: 16_384 };
      const outgoing = isTls ? requestHttps(url, options) : requestHttp(url, options);
      underWay.add(outgoing);
      return outgoing.once("close", () => underWay.delete(outgoing));
    },
    isClosed: () => isClosed,
    close: () => {
      isClosed = true;
      for (const outgoing of underWay) outgoing.destroy();
      agent.destroy();
    },
  };
}

async function attempt(
  { now, userAgent, timeouts = defaultTimeouts }: SenderOptions,
  { open, isClosed }: Requests,
  message: Message,
): Promise<Outcome> {
  const at = now();
  const started = performance.now();
  const ended = (rest: Pick<Attempt, "status" | "answer" | "error">) => ({ at, ms: Math.round(performance.now() - started), ...rest });
  try {
    const headers = headersOf(message, userAgent, Math.floor(at / 1000));
    const { status, text, retryAfter } = await exchange(() => open(headers), message.body, timeouts);
    const error = errorOf(status);
    return { attempt: ended({ status, answer: text, error }), retryAfterMs: error === null ? null : readRetryAfter(retryAfter, now()) };
  } catch (error) {
    if (isClosed()) throw new Aborted();
    return { attempt: ended({ status: null, answer: null, error: wordsOf(error) }), retryAfterMs: null };
  }
}

/** Null for a status from 200 to 299. */
function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return `Answered ${status}.${status >= 300 && status < 400 ? " Redirects are not followed." : ""}`;
}

function headersOf({ id, body, secrets }: Message, userAgent: string, timestamp: number): Record<string, string | number> {
  return {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "User-Agent": userAgent,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures(secrets, { id, timestamp, body }),
  };
}

type Answer = { status: number; text: string; retryAfter: string | undefined };
type Timeouts = NonNullable<SenderOptions["timeouts"]>;

/** A connection that was kept may have been closed by the endpoint while the request was on its way: such a request is sent once more. */
async function exchange(open: () => ClientRequest, body: string, timeouts: Timeouts): Promise<Answer> {
  const first = open();
  try {
    return await answerOf(first, body, timeouts);
  } catch (error) {
    if (!first.reusedSocket || (error as { code?: string }).code !== "ECONNRESET") throw error;
    return answerOf(open(), body, timeouts);
  }
}

function answerOf(outgoing: ClientRequest, body: string, { connectMs, wholeMs }: Timeouts): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | null = null;
    const chunks: Buffer[] = [];
    let size = 0;
    const connecting = setTimeout(() => outgoing.destroy(new Error(`No connection within ${connectMs / 1000} seconds.`)), connectMs);
    const whole = setTimeout(() => outgoing.destroy(new Error(`No answer within ${wholeMs / 1000} seconds.`)), wholeMs);
    const settle = () => {
      clearTimeout(connecting);
      clearTimeout(whole);
      if (response) resolve({ status: response.statusCode ?? 0, text: textOf(chunks), retryAfter: response.headers["retry-after"] });
    };
    outgoing.once("error", (error) => {
      settle(); // a status that has arrived counts, whatever becomes of the rest
      reject(error);
    });
    outgoing.once("socket", (socket) => {
      if (!socket.connecting) return clearTimeout(connecting);
      socket.once(outgoing.protocol === "https:" ? "secureConnect" : "connect", () => clearTimeout(connecting));
    });
    outgoing.once("response", (incoming) => {
      response = incoming;
      incoming.on("data", (chunk: Buffer) => {
        if (size < maxAnswerBytes) chunks.push(chunk.subarray(0, maxAnswerBytes - size));
        size += chunk.length;
        if (size > maxDrainedBytes) outgoing.destroy();
      });
      incoming.once("close", settle).once("error", settle);
    });
    outgoing.end(body);
  });
}

/** The first kilobyte. A character that is cut at its end is left out, and NUL, which PostgreSQL does not store, is replaced. */
function textOf(chunks: readonly Buffer[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks), { stream: true }).replaceAll("\0", "\ufffd");
}

/** Seconds, or an HTTP date (RFC 9110 10.2.3). */
function readRetryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return ms > 0 ? Math.min(ms, maxWaitMs) : null;
}
