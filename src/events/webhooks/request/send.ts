// Sends one signed request to an endpoint. The host is one that an untrusted party chose: only public addresses, no redirects, and bounds on
// time and on what is read of the answer. Secrets and signatures are those of Standard Webhooks
// (https://github.com/standard-webhooks/standard-webhooks, specification 1.0).

import { createHmac, type KeyObject, randomBytes } from "node:crypto";
import type { Resolve } from "../../../http/addresses.ts";
import { Aborted, type Host, openHost } from "../../../http/hosts/hosts.ts";
import { activeTracing, type TraceSpan } from "../../../telemetry/tracing.ts";
import type { Attempt } from "../deliveries.ts";
import { faultOf, type WebhookRules } from "./address.ts";

/** `id`: of the event. `body`: JSON. */
type Message = Readonly<{
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

type Signed = Readonly<{
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}>;

/** Connections to one endpoint. */
export type Connection = Readonly<{
  /** Never rejects, except with Aborted after `close`. */
  send: (message: Message) => Promise<Outcome>;
  /** Ends all requests at once. */
  close: () => void;
}>;

/** Opens no connection before something is sent. */
export type Connect = (url: string, streamerId: string) => Connection;

export type SenderOptions = Readonly<
  WebhookRules & {
    resolve: Resolve;
    userAgent: string;
    /** Milliseconds since 1970. */
    now: () => number;
    timeouts?: Timeouts;
    /** The authorities that a test trusts. */
    trusted?: readonly string[];
  }
>;

type Timeouts = Readonly<{ connectMs: number; wholeMs: number }>;

const defaultTimeouts: Timeouts = { connectMs: 5_000, wholeMs: 15_000 };
/** How long `send` may take: a request whose used connection was reset is sent once more. */
export const maxSendMs = 2 * defaultTimeouts.wholeMs;
const maxWaitMs = 24 * 3_600_000;
const answerBytes = { headers: 16_384, kept: 1_024, drained: 65_536, received: 131_072 };

const prefix = "whsec_";
const secretBytes = 32;

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: "The host name has no address.",
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was closed before an answer.",
  EPIPE: "The connection was closed before an answer.",
  UND_ERR_SOCKET: "The connection was closed before an answer.",
  ETIMEDOUT: "The host can't be reached.",
  EHOSTUNREACH: "The host can't be reached.",
  ENETUNREACH: "The host can't be reached.",
  CERT_HAS_EXPIRED: "The TLS certificate has expired.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The TLS certificate is not for this host.",
  HANDSHAKE_TOO_LONG: "The TLS certificates of the host are too long.",
  PRIVATE_HOST: "The host does not have public addresses only.",
  UND_ERR_HEADERS_OVERFLOW: "The headers of the answer are too large.",
};

/** Codes of OpenSSL for certificates that are not trusted, and of an endpoint that does not speak TLS. */
const untrusted = /^(CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/;
const notTls = /^(ERR_SSL_|EPROTO)/;

export function sender(options: SenderOptions): Connect {
  return (address, streamerId) => {
    const fault = faultOf(address, options); // the rules may have changed since the address was accepted
    const { resolve, timeouts = defaultTimeouts, trusted } = options;
    const url = new URL(address);
    const host = openHost({ url: address, owner: streamerId, timeouts, bytes: answerBytes, ...(trusted && { trusted }) }, resolve);
    return {
      send: async (message) => {
        const at = options.now();
        if (fault !== null) return { attempt: { at, status: null, ms: 0, answer: null, error: fault }, retryAfterMs: null };
        return attempt(options, { url, host }, message);
      },
      close: host.close,
    };
  };
}

async function attempt({ now, userAgent }: SenderOptions, { url, host }: { url: URL; host: Host }, message: Message): Promise<Outcome> {
  const at = now();
  const started = performance.now();
  const span = startAttempt(message.traceparent, url);
  const ended = (rest: Pick<Attempt, "status" | "answer" | "error">) => ({ at, ms: Math.round(performance.now() - started), ...rest });
  try {
    const headers = headersOf(message, userAgent, Math.floor(at / 1000));
    if (span) headers.traceparent = span.traceparent;
    const { status, text, retryAfter } = await host.send({ method: "POST", headers, body: message.body });
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

/** A new secret: 32 random bytes. */
export function newSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** The secret as the receiver gets it. */
export function formatSecret(secret: Buffer): string {
  return prefix + secret.toString("base64");
}

/** The header `webhook-signature`: one signature by each secret. Making a KeyObject costs more than a signature, so it is made once. */
function signatures(secrets: readonly KeyObject[], { id, timestamp, body }: Signed): string {
  const signed = `${id}.${timestamp}.${body}`;
  return secrets.map((secret) => `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`).join(" ");
}

/** Why a request failed, in words. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return "The request failed.";
  const { code = "" } = error as { code?: string };
  if (words[code] !== undefined) return words[code];
  if (untrusted.test(code)) return `The TLS certificate is not trusted (${code}).`;
  if (notTls.test(code)) return "No TLS connection could be made.";
  if (code.startsWith("HPE_")) return "The answer is not well-formed HTTP.";
  return code === "" && /^(No (connection|answer) within|The answer is too long)/.test(error.message)
    ? error.message
    : "The request failed.";
}

/**
 * A span by OpenTelemetry's semantic conventions for HTTP clients; the address's path may be a secret and is left out. Null when the event's
 * donation is not traced. `parent`: the traceparent of its recording.
 */
function startAttempt(parent: string | undefined, { hostname, port, protocol }: URL): TraceSpan | null {
  if (parent === undefined) return null;
  const attributes = {
    "http.request.method": "POST",
    "server.address": hostname,
    "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
  };
  return activeTracing()?.start("POST", { kind: "client", parent, attributes }) ?? null;
}

/** `status`: null when there was no answer, `error` says why in words then. */
function endAttempt(span: TraceSpan | null, status: number | null): void {
  if (!span) return;
  if (status !== null) span.set({ "http.response.status_code": status });
  const failure = status === null ? "_OTHER" : String(status);
  span.end(status !== null && status < 400 ? {} : { error: failure });
}
