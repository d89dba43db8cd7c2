// Answers to requests that are not well-formed HTTP. They are written to the connection itself, which is then closed.

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { newId } from "../../db/ids.ts";
import { commonHeaders } from "../middleware/request-id.ts";
import { type CommonCode, Problem, problemBody, problems } from "../problem.ts";
import { resume } from "./paused-reading.ts";
import { timeouts } from "./server-limits.ts";

export function malformed(detail: string): Problem {
  return new Problem("malformed_request", detail);
}

const problemByErrorCode: Record<string, [CommonCode, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request did not arrive in time."],
  HPE_HEADER_OVERFLOW: ["headers_too_large", "The request line and header lines are larger than 16 KiB."],
  HPE_INVALID_EOF_STATE: ["malformed_request", "The request ended early."],
  HPE_INVALID_URL: [
    "malformed_request",
    "The address has characters that must be percent-encoded as UTF-8 (RFC 3986 2.1), as ก is %E0%B8%81.",
  ],
};

/** The problem for a `clientError` of node:http; null when the connection is lost, so that no answer can be sent. */
export function framingProblem({ code = "" }: NodeJS.ErrnoException): Problem | null {
  if (code === "ECONNRESET") return null;
  const [problem, detail] = problemByErrorCode[code] ?? ["malformed_request", "This is not well-formed HTTP/1.1."];
  return new Problem(problem, detail);
}

/**
 * Writes the answer and closes the connection. What the client still sends is read and discarded for a moment: closing with unread
 * bytes resets the connection, and the client may then lose the answer before it has read it (RFC 9112 9.6).
 */
export function writeRefusal(socket: Socket, problem: Problem, headers: Readonly<Record<string, string>>): void {
  const { status } = problems[problem.code];
  const requestId = newId();
  const body = JSON.stringify(problemBody(problem, "/", requestId));
  const lines = Object.entries({
    Connection: "close",
    ...Object.fromEntries(commonHeaders),
    ...headers,
    "X-Request-Id": requestId,
    "Content-Type": "application/problem+json",
    "Content-Length": Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  resume(socket);
  setTimeout(() => socket.destroy(), timeouts.refused).unref();
}
