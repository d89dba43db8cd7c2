// Why a rule failed, as the reports show it.

import { operationAt } from "../contract/contract.ts";
import { redactor, remembered } from "../values/redact.ts";
import { running } from "../values/running.ts";
import { target } from "../values/target.ts";
import type { Comparison } from "./check-answer.ts";
import { launches, startCommand } from "./launches.ts";
import { curlLine, type Exchange, lastExchanges } from "./trace.ts";

/** Why a rule failed, for the reports; without secrets. */
export type Failure = {
  /** What was expected and what was answered; null: vitest's own message says it. */
  reason: string | null;
  /** Both sides of the assertion; null: there is none. */
  comparison: Comparison | null;
  /** The smallest value found that breaks the rule, as JavaScript. */
  value: string | null;
  shrinks: number;
  /** `SEED` of this very counterexample; null: the seed of the run. */
  seed: string | null;
  /** How many of the values fail; null: not counted. */
  count: { failed: number; of: number } | null;
  /** Further values that fail, each with its reason. */
  others: string[];
  /** The last requests of the rule, oldest first. */
  exchanges: ReadableExchange[];
  /** Command that starts a server like the one that the decisive request was sent to; null: the suite did not start it. */
  start: string | null;
};

/** A request and its answer, as reports show them. */
export type ReadableExchange = {
  curl: string;
  /** Method and path, the path as the contract writes it. */
  operation: string;
  status: number | null;
  /** Whether its answer broke the rule. The other requests of the rule prepared it or came after. */
  decisive: boolean;
  headers: [string, string][];
  body: string;
};

declare module "vitest" {
  interface TaskMeta {
    failure?: Failure;
  }
}

const maxBodyLength = 2000;
const maxShown = 4;
const reportedHeaders = /^(content-type|location|retry-after|www-authenticate|allow|x-request-id|idempotent-replayed|ratelimit.*)$/;

/** Notes why the running test fails; the first reason stays. */
export function noteFailure(
  failure: Partial<Omit<Failure, "exchanges" | "start">> = {},
  exchanges: readonly Exchange[] = lastExchanges(),
): void {
  const test = running();
  if (!test || test.meta.failure) return;
  const whole = { ...noFailure, ...failure };
  const decisive = decisiveOf(whole.reason ?? test.result?.errors?.[0]?.message ?? "", exchanges);
  const redact = redactor(target(), remembered());
  const reason = whole.reason && withoutAnswers(whole.reason, exchanges);
  const readable = shownOf(exchanges, decisive).map((one) => readableExchange(one, one === decisive));
  const noted = { ...whole, reason, exchanges: readable, start: startOf(decisive) };
  test.meta.failure = redacted(noted, (text) => redact(plain(text)));
}

/** A failure of which nothing is known but its message. */
export const noFailure: Failure = {
  reason: null,
  comparison: null,
  value: null,
  shrinks: 0,
  seed: null,
  count: null,
  others: [],
  exchanges: [],
  start: null,
};

/** The last requests, and the decisive one instead of the first of them where many were sent after it. */
function shownOf(exchanges: readonly Exchange[], decisive: Exchange | undefined): readonly Exchange[] {
  const last = exchanges.slice(-maxShown);
  return decisive === undefined || last.includes(decisive) ? last : [decisive, ...last.slice(1)];
}

function startOf(exchange: Exchange | undefined): string | null {
  const { url, operator } = target();
  const server = exchange?.request.server ?? url;
  const env = launches.get(server) ?? (server === url ? (operator?.env ?? null) : null);
  return exchange && env ? startCommand(env) : null;
}

/** A message without colours and without remarks that only matter to programmers of tests. */
export const plain = (message: string): string => message.replace(/\x1b\[[0-9;]*m/g, "").replaceAll(" // Object.is equality", "");

/** Assertions quote the answer, which the report shows anyway. */
const withoutAnswers = (reason: string, exchanges: readonly Exchange[]): string =>
  exchanges.reduce((rest, { reply }) => (reply && reply.text.length > 60 ? rest.replaceAll(reply.text, "(the answer)") : rest), reason);

function readableExchange({ request, reply }: Exchange, decisive: boolean): ReadableExchange {
  const headers = Object.entries(reply?.headers ?? {}).filter(([name]) => reportedHeaders.test(name));
  return {
    curl: curlLine(request),
    operation: operationOf(request),
    status: reply?.status ?? null,
    decisive,
    headers: headers.map(([name, value]) => [name, String(value)]),
    body: excerpt(reply?.text ?? ""),
  };
}

function operationOf({ method = "GET", path }: Exchange["request"]): string {
  const [pathname = ""] = path.split("?");
  return `${method} ${operationAt(method, pathname)?.path ?? pathname}`;
}

function excerpt(text: string): string {
  if (text.includes("\uFFFD") && /[\0-\x08]/.test(text)) return `(${text.length} bytes that are not text)`;
  return text.length > maxBodyLength ? `${text.slice(0, maxBodyLength)} … (${text.length} characters)` : text;
}

/** The value with every text in it redacted. */
function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === "string") return redact(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => redacted(one, redact)) as T;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redacted(one, redact)])) as T;
}

// Finds the request whose answer broke a rule: reports show it as the request to repeat, and the others of the rule beside it.

const minQuoted = 20;
const maxNamed = 100;

/**
 * The exchange that broke the rule: the one that the message names by method and path, or whose answer or status it quotes, else a server
 * error or a request without an answer, or else the last.
 */
export function decisiveOf(message: string, exchanges: readonly Exchange[]): Exchange | undefined {
  const named = exchanges.filter(({ request }) => isNamed(message, request));
  const among = named.length > 0 ? named : exchanges;
  const quoted = (length: number) => among.findLast(({ reply }) => isQuoted(message, reply?.text ?? "", length));
  const [, actual] = /expected \[? ?(\d{3})\b/.exec(message) ?? [];
  const answered = among.findLast(({ reply }) => actual !== undefined && reply?.status === Number(actual));
  const failed = among.findLast(({ reply }) => reply === null || reply.status >= 500);
  // Messages may cut the answer off, and answers may begin alike.
  return quoted(Number.POSITIVE_INFINITY) ?? quoted(500) ?? quoted(200) ?? answered ?? failed ?? among.at(-1);
}

/** Whether the message has method and path of the request; a long path may be cut off in it. */
function isNamed(message: string, { method = "GET", path }: Exchange["request"]): boolean {
  const line = `${method} ${path.slice(0, maxNamed)}`;
  const at = message.indexOf(line);
  if (at < 0) return false;
  return path.length > maxNamed || !/[\w/?&=%-]/.test(message.charAt(at + line.length));
}

const isQuoted = (message: string, text: string, length: number): boolean =>
  text.length >= minQuoted && message.includes(text.slice(0, length));
