// Checks the head of a request beyond the parser of node:http.

import type { IncomingMessage } from "node:http";

type RequestHead = Pick<IncomingMessage, "rawHeaders" | "headers" | "httpVersionMajor" | "httpVersionMinor">;

/** Describes what is wrong with the head of a request; null when nothing is. */
export function headFault({ rawHeaders, headers, httpVersionMajor, httpVersionMinor }: RequestHead): string | null {
  // node:http also parses 0.9 and 2.0, whose messages have another form.
  if (httpVersionMajor !== 1) return "This is not a request of HTTP/1.0 or HTTP/1.1.";
  const hosts = count(rawHeaders, "host");
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) return "The request must have one Host header line (RFC 9112 3.2).";
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

/** Counts the headers of this name. `rawHeaders` has names and values in turn. */
function count(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name) count += 1;
  return count;
}
