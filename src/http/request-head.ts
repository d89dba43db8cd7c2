// What the head of a request must have, beyond what the parser of node:http looks at.

import type { IncomingMessage } from "node:http";

/** What is wrong with a request's head, in words; null: nothing. */
export function headFault({ rawHeaders, headers, httpVersionMinor }: Pick<IncomingMessage, "rawHeaders" | "headers" | "httpVersionMinor">) {
  const hosts = count(rawHeaders, "host");
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) return "The request must have one Host header line (RFC 9112 3.2).";
  const coding = headers["transfer-encoding"];
  if (coding === undefined) return null;
  // node:http would take the body apart by its chunks and hand it on as if nothing else had been done to it.
  if (coding.trim().toLowerCase() !== "chunked") return "The only transfer coding known here is chunked (RFC 9112 6.1).";
  if (httpVersionMinor === 0) return "HTTP/1.0 has no transfer codings (RFC 9112 6.1).";
  return null;
}

/**
 * The target without fragment, which no target has (RFC 9112 3.2), and without scheme and host: whoever sends the whole address
 * (RFC 9112 3.2.2) asks for the same. Koa would parse any other target with Node's legacy parser, which throws.
 */
export function originForm(target: string): string {
  const fragment = target.indexOf("#");
  const whole = fragment < 0 ? target : target.slice(0, fragment);
  const [absolute, rest = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*(.*)$/i.exec(whole) ?? [];
  if (absolute === undefined) return whole;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Names and values stand in turn. */
function count(rawHeaders: readonly string[], name: string): number {
  let found = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name) found += 1;
  return found;
}
