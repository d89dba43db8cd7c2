import { AsyncLocalStorage } from "node:async_hooks";

import type { Request } from "./client.ts";
import { type Holder, keyVariables, target } from "./target.ts";

const ofOneRun = new AsyncLocalStorage<Request[]>();
const ofThisTest: Request[] = [];
const kept = 4;

export function recordRequest(request: Request): void {
  const requests = ofOneRun.getStore() ?? ofThisTest;
  requests.push(request);
  if (requests.length > kept) requests.shift();
}

export function forgetRequests(): void {
  ofThisTest.length = 0;
}

/** The last requests of the test that is running, as curl lines, oldest first. */
export const lastRequests = (): string[] => ofThisTest.map(curlLine);

/** Runs `attempt`; what it throws carries the requests that it sent, as curl lines. */
export async function traced<T>(attempt: () => Promise<T>): Promise<T> {
  const requests: Request[] = [];
  try {
    return await ofOneRun.run(requests, attempt);
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    cause.message = [cause.message, ...requests.map(curlLine)].join("\n  ");
    throw cause;
  }
}

/** The request as a line for bash. Keys stand as `$API_KEY` and its like, never in clear. */
export function curlLine({ method = "GET", path, server, headers = {}, key, body }: Request): string {
  const words = ["curl", "-i", ...(method === "HEAD" ? ["--head"] : ["-X", method])];
  if (key !== null) words.push("-H", `"Authorization: Bearer ${keyName(key)}"`);
  for (const [name, value] of Object.entries(headers)) words.push("-H", quoted(Buffer.from(`${name}: ${value}`)));
  if (body !== undefined) words.push("--data-binary", quoted(Buffer.from(body)));
  return [...words, quoted(Buffer.from((server ?? target().url) + path))].join(" ");
}

function keyName(key: string | undefined): string {
  const { keys } = target();
  const holder = (Object.keys(keyVariables) as Holder[]).find((one) => keys[one] === (key ?? keys.main));
  return holder ? `$${keyVariables[holder]}` : "…";
}

/** Any bytes, as one word of bash. */
function quoted(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  if (Buffer.from(text, "utf8").equals(bytes) && !/[\p{Cc}'\\]/u.test(text)) return `'${text}'`;
  const escaped = (byte: number): string =>
    byte < 32 || byte > 126 || byte === 39 || byte === 92 ? `\\x${byte.toString(16).padStart(2, "0")}` : String.fromCharCode(byte);
  return `$'${Array.from(bytes, escaped).join("")}'`;
}
