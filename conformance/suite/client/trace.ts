// The requests and answers of the running rule.

import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";
import type { Reply, Request } from "../contract/http-request.ts";
import type { Comparison } from "../contract/mismatch.ts";
import { named } from "../values/redact.ts";
import { type Holder, keyVariables, target } from "../values/target.ts";

/** A request and, once there is one, its answer. */
export type Exchange = { request: Request; reply: Reply | null };

/** Message, both sides of the assertion, and requests of a failed attempt. `shown`: the value that was sent, where the rule says which. */
export type Trace = { reason: string; comparison: Comparison | null; exchanges: Exchange[]; shown: string | null };

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
export function comparisonOf(error: unknown): Comparison | null {
  if (!(error instanceof Error) || !("expected" in error) || !("actual" in error)) return null;
  const { expected, actual } = error;
  return expected === undefined && actual === undefined ? null : { expected: textOf(expected), actual: textOf(actual) };
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
