// Answers to what is not well-formed HTTP. They are written to the connection itself, which is closed after them.

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { newId } from "../db/ids.ts";
import { type CommonCode, Problem, problemBody, problems } from "./problem.ts";
import { commonHeaders } from "./request-id.ts";
import { timeouts } from "./server-limits.ts";

export function malformed(detail: string): Problem {
  return new Problem("malformed_request", detail);
}

const known: Record<string, [CommonCode, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request did not arrive in time."],
  HPE_HEADER_OVERFLOW: ["headers_too_large", "The request line and header lines are larger than 16 KiB."],
  HPE_INVALID_EOF_STATE: ["malformed_request", "The request ended early."],
};

/** Why node:http gave up on a request; null: the connection is lost, and nobody reads an answer. */
export function framingProblem({ code = "" }: NodeJS.ErrnoException): Problem | null {
  if (code === "ECONNRESET") return null;
  const [problem, detail] = known[code] ?? ["malformed_request", "This is not well-formed HTTP/1.1."];
  return new Problem(problem, detail);
}

/**
 * Writes the answer, and closes. What the other side still sends is read and forgotten for a moment: to close on unread bytes
 * resets the connection, which can take the answer away from who has not read it yet (RFC 9112 9.6).
 */
export function refuse(socket: Socket, problem: Problem, headers: Readonly<Record<string, string>>): void {
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
  socket.on("error", () => {}); // node:http lets go of sockets that asked for a tunnel
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), timeouts.refused).unref();
}
