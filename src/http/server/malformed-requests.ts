// Requests that are not well-formed HTTP: what the parser of node:http does not check, and the answers, which are written to the connection
// itself. It is then closed.

import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { newId } from "../../db/ids.ts";
import { commonHeaders } from "../middleware.ts";
import { type CommonCode, Problem, problemBody, problems } from "../problem.ts";
import { resume } from "./parsing.ts";
import { timeouts } from "./server-limits.ts";

export function malformed(detail: string): Problem {
  return new Problem("malformed_request", detail);
}

const problemByErrorCode: Record<string, [CommonCode, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request did not arrive in time."],
  HPE_HEADER_OVERFLOW: [
    "headers_too_large",
    "The request line and header lines are larger than 16 KiB, or there are more than 1,000 header lines.",
  ],
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
    Date: new Date().toUTCString(), // RFC 9110 6.6.1
    Connection: "close",
    ...commonHeaders,
    ...headers,
    "X-Request-Id": requestId,
    "Content-Type": "application/problem+json",
    "Content-Length": Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  resume(socket);
  setTimeout(() => socket.destroy(), timeouts.refused).unref();
}

type RequestHead = Pick<IncomingMessage, "rawHeaders" | "headers" | "httpVersionMajor" | "httpVersionMinor">;

/** A name or an address, and a port (RFC 3986 3.2.2, 3.2.3); empty where the target has no host. */
const hostAndPort = /^(?:\[[\w:.~!$&'()*+,;=-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::[0-9]*)?$/i;

/** Describes what is wrong with the head of a request; null when nothing is. */
export function headFault({ rawHeaders, headers, httpVersionMajor, httpVersionMinor }: RequestHead): string | null {
  // node:http also parses 0.9 and 2.0, whose messages have another form.
  if (httpVersionMajor !== 1) return "This is not a request of HTTP/1.0 or HTTP/1.1.";
  const hosts = countHosts(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) return "The request must have one Host header line (RFC 9112 3.2).";
  if (!hostAndPort.test(headers.host ?? "")) return "The Host header line must name a host, and may name a port (RFC 9110 7.2).";
  const coding = headers["transfer-encoding"];
  if (coding === undefined) return null;
  // node:http would decode the chunks and pass the body on as if it had no other coding.
  if (coding.trim().toLowerCase() !== "chunked") return "The only transfer coding known here is chunked (RFC 9112 6.1).";
  if (httpVersionMinor === 0) return "HTTP/1.0 has no transfer codings (RFC 9112 6.1).";
  return null;
}

/**
 * The target without fragment, which no target may have (RFC 9112 3.2), and without scheme and host, because an absolute address means the
 * same (RFC 9112 3.2.2). Koa would parse any other target with Node's legacy parser, which throws.
 */
export function originForm(target: string): string {
  const fragment = target.indexOf("#");
  const whole = fragment < 0 ? target : target.slice(0, fragment);
  const [absolute, path = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*(.*)$/i.exec(whole) ?? [];
  if (absolute === undefined) return whole;
  return path.startsWith("/") ? path : `/${path}`;
}

/** `rawHeaders` has names and values in turn. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") count += 1;
  return count;
}
