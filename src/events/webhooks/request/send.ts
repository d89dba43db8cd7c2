// Sends one signed request to an endpoint. The host is one that an untrusted party chose: only public addresses, no redirects, and bounds on
// time and on what is read of the answer.

import type { KeyObject } from "node:crypto";
import type { Resolve } from "../../../http/public-hosts.ts";
import type { Attempt } from "../endpoints/deliveries.ts";
import { faultOf, type WebhookRules } from "./address.ts";
import { wordsOf } from "./describe-failure.ts";
import { Aborted, openRequests, type Requests, type Timeouts } from "./requests.ts";
import { signatures } from "./secret.ts";
import { endAttempt, startAttempt } from "./trace-attempt.ts";

/** `id`: of the event. `body`: JSON. */
export type Message = Readonly<{
  id: string;
  body: string;
  secrets: readonly KeyObject[];
  /** Of the recording of the event's donation. */
  traceparent?: string | undefined;
}>;

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

export type SenderOptions = Readonly<
  WebhookRules & {
    resolve: Resolve;
    userAgent: string;
    /** Milliseconds since 1970. */
    now: () => number;
    timeouts?: Timeouts;
  }
>;

const defaultTimeouts: Timeouts = { connectMs: 5_000, wholeMs: 15_000 };
/** How long `send` may take: a request whose used connection was reset is sent once more. */
export const maxSendMs = 2 * defaultTimeouts.wholeMs;
const maxWaitMs = 24 * 3_600_000;

export function sender(options: SenderOptions): Connect {
  return (address) => {
    const fault = faultOf(address, options); // the rules may have changed since the address was accepted
    const { resolve, timeouts = defaultTimeouts } = options;
    const requests = openRequests({ url: new URL(address), resolve, timeouts });
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

async function attempt({ now, userAgent }: SenderOptions, requests: Requests, message: Message): Promise<Outcome> {
  const at = now();
  const started = performance.now();
  const span = startAttempt(message.traceparent, requests.url);
  const ended = (rest: Pick<Attempt, "status" | "answer" | "error">) => ({ at, ms: Math.round(performance.now() - started), ...rest });
  try {
    const headers = headersOf(message, userAgent, Math.floor(at / 1000));
    if (span) headers.traceparent = span.traceparent;
    const { status, text, retryAfter } = await requests.post(headers, message.body);
    endAttempt(span, status);
    const error = errorOf(status);
    return { attempt: ended({ status, answer: text, error }), retryAfterMs: error === null ? null : readRetryAfter(retryAfter, now()) };
  } catch (error) {
    endAttempt(span, null);
    if (error instanceof Aborted) throw error;
    return { attempt: ended({ status: null, answer: null, error: wordsOf(error) }), retryAfterMs: null };
  }
}

/** Null for a status from 200 to 299. */
function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return `Answered ${status}.${status >= 300 && status < 400 ? " Redirects are not followed." : ""}`;
}

function headersOf({ id, body, secrets }: Message, userAgent: string, timestamp: number): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    "User-Agent": userAgent,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures(secrets, { id, timestamp, body }),
  };
}

/** Seconds, or an HTTP date (RFC 9110 10.2.3). */
function readRetryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return ms > 0 ? Math.min(ms, maxWaitMs) : null;
}
