// The requests and answers of the running rule.

import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { gunzipSync } from "node:zlib";
import type { Reply, Request } from "../contract/http-request.ts";
import { expectOnline } from "../contract/offline-rules.ts";
import { named } from "../values/redact.ts";
import { running } from "../values/running.ts";
import { type Holder, keyVariables, target } from "../values/target.ts";
import { type Comparison, comparisonIn } from "./check-answer.ts";

/** A request and, once there is one, its answer. */
export type Exchange = { request: Request; reply: Reply | null };

/** Message, both sides of the assertion, and requests of a failed attempt. `shown`: the value that was sent, where the rule says which. */
type Trace = { reason: string; comparison: Comparison | null; exchanges: Exchange[]; shown: string | null };

type Attempt = Pick<Trace, "exchanges" | "shown">;

const attempts = new AsyncLocalStorage<Attempt>();
const testExchanges: Exchange[] = [];
const traces = new WeakMap<Error, Trace>();
/** A rule that sends many requests at once may fail for one of the first. */
const maxExchanges = 32;
const maxPrinted = 4;

export function recordRequest(request: Request): Exchange {
  const exchanges = attempts.getStore()?.exchanges ?? testExchanges;
  const exchange = { request, reply: null };
  exchanges.push(exchange);
  if (exchanges.length > maxExchanges) exchanges.shift();
  return exchange;
}

export function forgetRequests(): void {
  testExchanges.length = 0;
}

/** The last requests of the test that is running, oldest first. */
export const lastExchanges = (): readonly Exchange[] => testExchanges;

/** Runs `attempt`; adds the requests that it sent, as curl lines, to the message of what it throws. */
export async function traced<T>(attempt: () => Promise<T>): Promise<T> {
  const tried: Attempt = { exchanges: [], shown: null };
  try {
    return await attempts.run(tried, attempt);
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    const { exchanges } = tried;
    traces.set(cause, { reason: cause.message, comparison: comparisonOf(cause), ...tried });
    cause.message = [cause.message, ...curlLinesOf(exchanges)].join("\n  ");
    throw cause;
  }
}

/** Says which value the attempt sends: a generator's parts are no text that a reader finds in the request. */
export function showValue(text: string): void {
  const attempt = attempts.getStore();
  if (attempt) attempt.shown = text;
}

/** What `traced` noted about an error. */
export const traceOf = (error: unknown): Trace =>
  (error instanceof Error ? traces.get(error) : undefined) ?? {
    reason: error instanceof Error ? error.message : String(error),
    comparison: comparisonOf(error),
    exchanges: [],
    shown: null,
  };

/** The last requests as lines for bash. */
export const curlLinesOf = (exchanges: readonly Exchange[]): string[] =>
  exchanges.slice(-maxPrinted).map(({ request }) => curlLine(request));

/** Secrets of a run, each with the variable that stands for it. */
type Variables = readonly (readonly [secret: string, name: string])[];

/** The request as a line for bash. Keys stand as `$API_KEY` and its like, never in clear. */
export function curlLine({ method = "GET", path, server, headers = {}, key, body }: Request, variables = variablesOf()): string {
  const words = ["curl", "-i", ...(method === "HEAD" ? ["--head"] : ["-X", method])];
  if (key !== null) words.push("-H", `"Authorization: Bearer ${keyName(key)}"`);
  for (const [name, value] of Object.entries(headers))
    words.push("-H", quoted(Buffer.from(value === "" ? `${name};` : `${name}: ${value}`), variables)); // curl's notation of an empty header
  if (body !== undefined) words.push("--data-binary", bodyWord(Buffer.from(body), variables));
  return [...words, quoted(Buffer.from((server ?? target().url) + path), variables)].join(" ");
}

function keyName(key: string | undefined): string {
  const { keys } = target();
  const holder = (Object.keys(keyVariables) as Holder[]).find((one) => keys[one] === (key ?? keys.main));
  return holder ? `$${keyVariables[holder]}` : "…";
}

const bodyWord = (bytes: Buffer, variables: Variables): string => (fitsInWord(bytes) ? quoted(bytes, variables) : `@<(${printing(bytes)})`);

/** Any bytes but NUL, as one word of bash. */
function quoted(bytes: Buffer, variables: Variables): string {
  const text = bytes.toString("utf8");
  if (Buffer.from(text, "utf8").equals(bytes) && !/[\p{Cc}'\\]/u.test(text)) return withVariables(`'${text}'`, "'", variables);
  const escaped = (byte: number): string =>
    byte < 32 || byte > 126 || byte === 39 || byte === 92 ? `\\x${byte.toString(16).padStart(2, "0")}` : String.fromCharCode(byte);
  return withVariables(`$'${Array.from(bytes, escaped).join("")}'`, "$'", variables);
}

/** The word with variables for the secrets in it, outside of the quotation marks: bash fills them in. */
const withVariables = (word: string, quotation: string, variables: Variables): string =>
  variables.reduce((shown, [secret, name]) => shown.replaceAll(secret, `'"${name}"${quotation}`), word);

const variablesOf = (): Variables => named(target()).filter(([, name]) => name.startsWith("$"));

// What an assertion expected and what came instead, read from its error.

const maxLength = 4000;

/** Returns both sides of an assertion that failed; null when the error has none. */
function comparisonOf(error: unknown): Comparison | null {
  if (!(error instanceof Error) || !("expected" in error) || !("actual" in error)) return null;
  const { expected, actual } = error;
  return expected === undefined && actual === undefined ? null : comparisonIn(error.message, textOf(expected), textOf(actual));
}

/** Objects and lists have a line for each member, so that the lines that differ can be marked. */
function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : inspect(value, { depth: 8, breakLength: 60, maxStringLength: 500, maxArrayLength: 100 });
  return text.length > maxLength ? `${text.slice(0, maxLength)} … (${text.length} characters)` : text;
}

// Bytes that no argument of a program can hold, as commands of bash that print them.

/** Linux passes a program no longer argument than 128 KiB; escaped, a byte takes four letters. */
const maxArgument = 32 * 1024;
/** Equal bytes in a row that are printed by their number. */
const longRun = 1_024;

/** Whether one word of bash can hold these bytes: a word ends at a NUL. */
export const fitsInWord = (bytes: Buffer): boolean => bytes.length <= maxArgument && !bytes.includes(0);

/** Commands that print the bytes, as `printf '\101\000'; head -c 4096 /dev/zero | tr '\0' '\040'`. */
export function printing(bytes: Buffer): string {
  const commands: string[] = [];
  let plainFrom = 0;
  const printPlain = (to: number): void => {
    if (to > plainFrom) commands.push(`printf '${Array.from(bytes.subarray(plainFrom, to), octal).join("")}'`);
  };
  for (let start = 0; start < bytes.length; ) {
    const byte = bytes[start] as number;
    let end = start + 1;
    while (bytes[end] === byte) end += 1;
    if (end - start >= longRun) {
      printPlain(start);
      commands.push(`head -c ${end - start} /dev/zero | tr '\\0' '${octal(byte)}'`);
      plainFrom = end;
    }
    start = end;
  }
  printPlain(bytes.length);
  return commands.join("; ");
}

/** What printf takes as it is stays readable, so that a secret in it is found and replaced. */
const octal = (byte: number): string =>
  byte >= 32 && byte < 127 && !"'\\%".includes(String.fromCharCode(byte))
    ? String.fromCharCode(byte)
    : `\\${byte.toString(8).padStart(3, "0")}`;

// Sums up what a test sends in a digest: the same seed must send the same bytes. What no seed decides (the run's id, keys and
// secrets, ids and cursors that the server made up) counts as its name, and the order of requests does not count.

type Traffic = { requests: number; digest: string };

declare module "vitest" {
  interface TaskMeta {
    traffic?: Traffic;
  }
}

const secretHeader = /^(authorization|cookie)$/i;
const modulus = 2n ** 128n;

const notCounted = new AsyncLocalStorage<true>();

/** Runs `prepare` without counting its requests: they contain generated secrets, which no seed decides. */
export const uncounted = <T>(prepare: () => Promise<T>): Promise<T> => notCounted.run(true, prepare);

/** Counts a request of the running test into its digest. */
export function countRequest(request: Request): void {
  const test = running();
  if (!test) return;
  expectOnline(test);
  if (notCounted.getStore()) return;
  const { requests, digest } = test.meta.traffic ?? { requests: 0, digest: "0" };
  const sum = (BigInt(`0x${digest}`) + BigInt(`0x${hashOf(request)}`)) % modulus;
  test.meta.traffic = { requests: requests + 1, digest: sum.toString(16) };
}

function hashOf({ method = "GET", path, headers = {}, key, body }: Request): string {
  const sent = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${secretHeader.test(name) ? "" : masked(value)}`);
  const hash = createHash("sha256").update([method, maskedPath(path), ...sent.sort(), credential(key)].join("\n"));
  if (body !== undefined) hash.update(`\n\n${masked(unpacked(Buffer.from(body)).toString("latin1"))}`);
  return hash.digest("hex").slice(0, 32);
}

/** What gzip packed counts as what it holds, which may be secrets. */
const unpacked = (body: Buffer): Buffer => (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body);

/** One that was given counts as its name; others are made from them, or made up. */
function credential(key: string | null | undefined): string {
  if (key === null) return "";
  const given = key ?? target().keys.main;
  return secrets().find(([secret]) => secret === given)?.[1] ?? "<another credential>";
}

const maskedPath = (path: string): string =>
  masked(path)
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, "<id>")
    .replace(/\b(cursor|code|token)=[^&]+/g, "$1=<server's>");

function masked(text: string): string {
  const { runId } = target();
  const fresh = text.replace(new RegExp(`${runId}(:|%3A)([0-9a-f]{12})(:|%3A)\\d{6}`, "gi"), "<run>$1$2").replaceAll(runId, "<run>");
  const known = secrets().reduce((shown, [secret, name]) => shown.replaceAll(secret, name), fresh);
  const longestFirst = [...made].toSorted(([a], [b]) => b.length - a.length);
  const spoilt = longestFirst.reduce((shown, [one, name]) => shown.replaceAll(one, name), known);
  return spoilt.replace(/eyJ[\w-]{8,}\.[\w-]+\.[\w-]+/g, "<token>");
}

const made = new Map<string, string>();

/** A text that no seed decides, such as a spoilt key, counts as its name. Answers the text. */
export function countAs(name: string, text: string): string {
  made.set(text, `<${name}>`);
  return text;
}

let memory: [string, string][] | undefined;
function secrets(): [string, string][] {
  const { client } = target();
  memory ??= [...named(target()), ...(client ? [[client.id, "<client>"] as [string, string]] : [])];
  return memory;
}
