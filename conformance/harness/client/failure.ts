import { operationAt } from "../oracle/contract.ts";
import { running } from "../server/running.ts";
import { target } from "../server/target.ts";
import { redactor } from "./redact.ts";
import { remembered } from "./secrets.ts";
import { curlLine, type Exchange, lastExchanges } from "./trace.ts";

/** Why a rule failed, for the reports; without secrets. */
export type Failure = {
  /** What was expected and what came; null: vitest's own message says it. */
  reason: string | null;
  /** The smallest value found that breaks the rule, as JavaScript. */
  value: string | null;
  shrinks: number;
  /** `SEED` of this very counterexample; null: the seed of the run. */
  seed: string | null;
  /** How many of the values fail, where that was counted. */
  count: { failed: number; of: number } | null;
  /** Further values that fail, each with its reason. */
  others: string[];
  exchanges: Shown[];
};

/** A request and its answer, for people to read. */
export type Shown = {
  curl: string;
  /** Method and path, the path as the contract writes it. */
  asked: string;
  status: number | null;
  headers: [string, string][];
  body: string;
};

declare module "vitest" {
  interface TaskMeta {
    failure?: Failure;
  }
}

const longest = 2000;
const headersShown = /^(content-type|location|retry-after|www-authenticate|allow|x-request-id|idempotent-replayed|ratelimit.*)$/;

/** Notes why the running test fails; the first reason stays. */
export function noteFailure(failure: Partial<Omit<Failure, "exchanges">> = {}, exchanges: readonly Exchange[] = lastExchanges()): void {
  const test = running();
  if (!test || test.meta.failure) return;
  const whole = { reason: null, value: null, shrinks: 0, seed: null, count: null, others: [], ...failure };
  const redact = redactor(target(), remembered());
  const reason = whole.reason && withoutAnswers(whole.reason, exchanges);
  test.meta.failure = redacted({ ...whole, reason, exchanges: exchanges.map(shown) }, (text) => redact(plain(text)));
}

/** A message without colours, and without what means something to programmers of tests alone. */
export const plain = (message: string): string => message.replace(/\x1b\[[0-9;]*m/g, "").replaceAll(" // Object.is equality", "");

/** Assertions quote the answer, which the report shows anyway. */
const withoutAnswers = (reason: string, exchanges: readonly Exchange[]): string =>
  exchanges.reduce((rest, { reply }) => (reply && reply.text.length > 60 ? rest.replaceAll(reply.text, "(the answer)") : rest), reason);

function shown({ request, reply }: Exchange): Shown {
  const headers = Object.entries(reply?.headers ?? {}).filter(([name]) => headersShown.test(name));
  return {
    curl: curlLine(request),
    asked: askedOf(request),
    status: reply?.status ?? null,
    headers: headers.map(([name, value]) => [name, String(value)]),
    body: excerpt(reply?.text ?? ""),
  };
}

function askedOf({ method = "GET", path }: Exchange["request"]): string {
  const [pathname = ""] = path.split("?");
  return `${method} ${operationAt(method, pathname)?.path ?? pathname}`;
}

function excerpt(text: string): string {
  if (text.includes("\uFFFD") && /[\0-\x08]/.test(text)) return `(${text.length} characters that are no text)`;
  return text.length > longest ? `${text.slice(0, longest)} … (${text.length} characters)` : text;
}

/** Every text in it redacted. */
function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === "string") return redact(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => redacted(one, redact)) as T;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redacted(one, redact)])) as T;
}
