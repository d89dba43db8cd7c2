// More requests than a process answers soon are refused at once. Before Koa, because a refusal must cost next to nothing: it is what
// there is most of then.

import type { IncomingMessage, ServerResponse } from "node:http";
import { commonHeaders, namesOnlyJson, requestIdOf } from "./answers.ts";
import { Problem, problemBody, problems } from "./problem.ts";

/** Resolves when the request is handled: its answer may still be going out. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type OverloadParts = {
  /** Requests that may be under way at once. */
  most: number;
  /** Told of each refusal. */
  onRefused: () => void;
};

const problem = new Problem("unavailable", "The server has more to do than it can; nothing was done.");
const { status } = problems.unavailable;
const retryAfterSeconds = "1";

/** Refuses operations of the API while `most` of them are under way. Pages and probes are always let in. */
export function refuseOverload(listener: Listener, { most, onRefused }: OverloadParts): Listener {
  let underWay = 0;
  return async (request, response) => {
    if (!request.url?.startsWith("/api/")) return listener(request, response);
    if (underWay >= most) {
      onRefused();
      return refuse(request, response);
    }
    underWay += 1;
    try {
      await listener(request, response);
    } finally {
      underWay -= 1;
    }
  };
}

function refuse({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
  const requestId = requestIdOf(String(headers["x-request-id"] ?? ""));
  const [path = ""] = url.split("?");
  const body = JSON.stringify(problemBody(problem, path, requestId));
  response.writeHead(status, {
    ...Object.fromEntries(commonHeaders),
    "X-Request-Id": requestId,
    "Retry-After": retryAfterSeconds,
    "Content-Type": namesOnlyJson(headers.accept ?? "") ? "application/json" : "application/problem+json",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}
