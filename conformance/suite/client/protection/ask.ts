// How the suite itself asks a server of someone else: past the guard, patiently, and not for ever.

import { setTimeout as sleep } from "node:timers/promises";
import type { Reply, Request } from "../../contract/http-request.ts";
import { sendOnce, withRateLimitRetries } from "../send-once.ts";
import type { Members } from "./own.ts";

const timeoutMs = 15_000;

/** Sends the request, whatever the guard says, and waits for rate limits. Throws after 15 s without an answer. */
export const ask = (request: Request): Promise<Reply> => withRateLimitRetries(() => Promise.race([sendOnce(request), rejectLate(request)]));

async function rejectLate({ method = "GET", path }: Request): Promise<never> {
  await sleep(timeoutMs, undefined, { ref: false });
  throw new Error(`${method} ${path} is not answered within ${timeoutMs / 1000} s`);
}

/** The data of the answer to GET. Throws where there are none. */
export async function read(path: string, key: string): Promise<Members> {
  const { status, body } = await ask({ path, key });
  const { data } = (body ?? {}) as { data?: unknown };
  if (status === 200 && typeof data === "object" && data !== null) return data as Members;
  throw new Error(`GET ${path} is answered ${status}`);
}
