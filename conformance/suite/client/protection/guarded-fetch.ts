// Sends what official clients request through the guard.

import { isRepeatable } from "../../contract/effects.ts";
import { expectTimeToWait } from "../../values/file-time.ts";
import { target } from "../../values/target.ts";
import { expectNotRefused, withRateLimitRetries } from "../rate-limit-retries.ts";
import { guarded } from "./guard.ts";

/** Lets `fetch`, which official clients use, send to the server under test only what the guard allows. */
export function guardFetch(): void {
  if (target().protection === null || globalThis.fetch === guardedFetch) return;
  globalThis.fetch = guardedFetch;
}

const plainFetch = globalThis.fetch;

async function guardedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const base = new URL(target().url);
  const { origin, pathname, search } = new URL(request.url);
  if (origin !== base.origin) return plainFetch(input, init);
  const body = await request.clone().text();
  const path = pathname.slice(base.pathname.replace(/\/$/, "").length) + search;
  const key = /^Bearer (.*)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
  const sent = { method: request.method, path, key, body };
  const how = { beforeWait: expectTimeToWait, isRepeatable: isRepeatable(sent) };
  const attempt = async () => {
    const response = await plainFetch(request.clone());
    return { response, status: response.status, headers: Object.fromEntries(response.headers), body: await jsonOf(response) };
  };
  const answer = await guarded(sent, attempt, (once) => withRateLimitRetries(once, how));
  expectNotRefused(answer);
  return answer.response;
}

/** The body of an answer that is JSON; a stream is not read. */
async function jsonOf(response: Response): Promise<unknown> {
  if (!/^application\/json\b/i.test(response.headers.get("content-type") ?? "")) return undefined;
  return response
    .clone()
    .json()
    .catch(() => undefined);
}
