// Sends the deliveries of a case, as the product does, and judges what the receiver answers.

import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { noFailure, type ReadableExchange } from "../suite/client/failure.ts";
import { secondsOf } from "../suite/client/send-once.ts";
import { curlLine } from "../suite/client/trace.ts";
import { explainConnectionError } from "../suite/command/usage-error.ts";
import { versions } from "../suite/report/format.ts";
import type { Rule } from "../suite/report/run.ts";
import type { Case, Expected } from "./cases.ts";
import { type Delivery, headersOf, type Secrets } from "./deliveries.ts";

/** What came of a case. */
export type Result = {
  rule: Rule;
  expected: Expected;
  /** The answers in words, such as "200, then 409". */
  came: string;
  /** What the receiver could do better although the case passed, or what its answers do not show; null: nothing. */
  advice: string | null;
  /** The requests as curl lines. */
  curls: string[];
  /** Whether there was no answer to any delivery. */
  unanswered: boolean;
};

type Exchange = { delivery: Delivery; answer: Answer };

const family = "receiver";

const maxAttempts = 3;
const maxWaitSeconds = 60;

const expectedWords: Record<Expected, string> = { accepted: "a status from 200 to 299", refused: "any status but 200 to 299" };

const wrongWords: Record<Expected, string> = { accepted: "wrongly refused", refused: "wrongly accepted" };

/** Sends the deliveries of a case and judges the answers. Waits and sends them anew where the receiver answers 429. */
export async function runCase(url: string, one: Case, secrets: Secrets): Promise<Result> {
  const begun = performance.now();
  const exchanges = await exchangesOf(url, one, secrets);
  return resultOf(url, one, { exchanges, milliseconds: performance.now() - begun });
}

async function exchangesOf(url: string, one: Case, secrets: Secrets): Promise<Exchange[]> {
  for (let attempt = 1; ; attempt += 1) {
    const exchanges: Exchange[] = [];
    for (const delivery of one.deliveries(secrets)) exchanges.push({ delivery, answer: await send(url, delivery) });
    const limited = exchanges.find(({ answer }) => isRateLimited(answer));
    if (!limited || attempt === maxAttempts) return exchanges;
    const headers = "headers" in limited.answer ? limited.answer.headers : {};
    await sleep(1000 * Math.min(maxWaitSeconds, secondsOf(headers["retry-after"]) ?? 2 ** attempt));
  }
}

function resultOf(url: string, one: Case, { exchanges, milliseconds }: { exchanges: Exchange[]; milliseconds: number }): Result {
  const limited = exchanges.some(({ answer }) => isRateLimited(answer));
  const wrong = limited ? undefined : exchanges.find(({ answer }) => isAccepted(answer) !== (one.expected === "accepted"));
  const came = exchanges.map(({ answer }) => wordsOf(answer)).join(", then ");
  const rule: Rule = {
    family,
    title: one.title,
    offline: false,
    state: limited ? "not run" : wrong ? "failed" : "passed",
    why: limited ? "the receiver's rate limit refused it in every attempt" : null,
    required: true,
    milliseconds,
    tried: limited ? {} : { "": exchanges.length },
    chosenFrom: [],
    leftOut: 0,
    leftOutForTime: 0,
    edges: {},
    requests: exchanges.length,
    operations: [],
    digest: "0",
    failure: wrong ? failureOf(url, one, { exchanges, wrong }) : null,
  };
  return {
    rule,
    expected: one.expected,
    came,
    advice: limited ? null : (one.advice ?? crashAdvice(one, exchanges)),
    curls: exchanges.map(({ delivery }) => curlOf(url, delivery)),
    unanswered: exchanges.every(({ answer }) => "error" in answer),
  };
}

function failureOf(url: string, one: Case, { exchanges, wrong }: { exchanges: Exchange[]; wrong: Exchange }): NonNullable<Rule["failure"]> {
  const comparison = { expected: expectedWords[one.expected], actual: wordsOf(wrong.answer) };
  const reason = `${wrongWords[one.expected]}: expected ${comparison.expected}, came ${comparison.actual}`;
  const readable = exchanges.map((exchange): ReadableExchange => {
    const { delivery, answer } = exchange;
    const known = "error" in answer ? { status: null, body: answer.error } : { status: answer.status, body: answer.text };
    return { ...known, curl: curlOf(url, delivery), operation: "POST to the receiver", decisive: exchange === wrong, headers: [] };
  });
  return { ...noFailure, reason, message: reason, comparison, exchanges: readable };
}

/** A sender does not mind, but an error of the receiver hides the refusal from whoever reads its log. */
function crashAdvice({ expected }: Case, exchanges: readonly Exchange[]): string | null {
  const isClean = ({ answer }: Exchange): boolean => "status" in answer && answer.status < 500;
  return expected === "accepted" || exchanges.every(isClean) ? null : "That is no acceptance, but 400 or 401 would say why.";
}

const isRateLimited = (answer: Answer): boolean => "status" in answer && answer.status === 429;

const isAccepted = (answer: Answer): boolean => "status" in answer && answer.status >= 200 && answer.status < 300;

const wordsOf = (answer: Answer): string => ("status" in answer ? String(answer.status) : `no answer: ${answer.error}`);

function curlOf(url: string, delivery: Delivery): string {
  const { origin, pathname, search } = new URL(url);
  const request = {
    method: "POST",
    server: origin,
    path: pathname + search,
    key: null,
    headers: headersOf(delivery, userAgent),
    body: delivery.body,
  };
  return curlLine(request, []); // a receiver is tested without a target, and the secret is in no request
}

// Sends a delivery as the product does.

/** An answer, or why there was none in words. */
type Answer = { status: number; text: string; headers: Record<string, string> } | { error: string };

/** As long as the product waits for an answer. */
const timeoutMs = 15_000;

/** The longest part of an answer that is read. */
const maxCharacters = 2_000;

const userAgent = `namjai-conformance/${versions.suite}`;

/** Sends a delivery on a connection of its own. Follows no redirects, as the product. Never rejects. */
async function send(url: string, delivery: Delivery): Promise<Answer> {
  try {
    return await exchange(new URL(url), delivery);
  } catch (error) {
    return { error: explainConnectionError(error) };
  }
}

function exchange(url: URL, delivery: Delivery): Promise<Answer> {
  const headers = { ...headersOf(delivery, userAgent), "Content-Length": Buffer.byteLength(delivery.body) };
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", headers, agent: false });
    const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    outgoing.once("close", () => clearTimeout(timer));
    outgoing.once("error", reject);
    outgoing.once("response", (incoming) => read(incoming).then(resolve, reject));
    outgoing.end(delivery.body);
  });
}

/** A status that has arrived counts, whatever becomes of the body. */
async function read(incoming: IncomingMessage): Promise<Answer> {
  let text = "";
  incoming.setEncoding("utf8");
  try {
    for await (const part of incoming) {
      text += part;
      if (text.length > maxCharacters) break;
    }
  } catch {}
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return { status: incoming.statusCode ?? 0, text: text.slice(0, maxCharacters), headers: Object.fromEntries(headers) };
}
