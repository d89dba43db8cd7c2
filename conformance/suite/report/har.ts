// requests.har: all requests in HAR 1.2, which browsers and proxies can open.

import { existsSync, readFileSync, statSync } from "node:fs";
import { type LoggedRequest, leftOutFile } from "../client/send-once.ts";
import type { Redactor } from "../values/redact.ts";

type Pair = { name: string; value: string };

/** Converts the requests that the suite wrote to `file` into HAR, without secrets. */
export function harOf(file: string, redact: Redactor): string {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const requests = lines.map((line) => JSON.parse(line) as LoggedRequest);
  return harOfRequests(requests, redact, statSync(leftOutFile(file), { throwIfNoEntry: false })?.size);
}

/** Converts requests into HAR, without secrets. `leftOut`: number of requests that the size of the file left out. */
export function harOfRequests(requests: readonly LoggedRequest[], redact: Redactor, leftOut = 0): string {
  const entries = requests.map((sent) => entryOf(sent, redact));
  const comment = leftOut > 0 ? { comment: `${leftOut} later requests are left out: --har-megabytes limits the size of this file` } : {};
  return JSON.stringify({ log: { version: "1.2", creator: { name: "namjai-conformance", version: "1" }, entries, ...comment } });
}

function entryOf(sent: LoggedRequest, redact: Redactor): object {
  const time = sent.milliseconds;
  return {
    startedDateTime: new Date(sent.startedAt).toISOString(),
    time,
    comment: sent.rule,
    request: {
      method: sent.method,
      url: redact(sent.url),
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairs(sent.requestHeaders, redact),
      queryString: queryOf(redact(sent.url)),
      ...(sent.requestBody === null ? {} : { postData: { mimeType: typeOf(sent.requestHeaders), text: redact(sent.requestBody) } }),
      headersSize: -1,
      bodySize: sent.requestBody === null ? 0 : Buffer.byteLength(sent.requestBody),
    },
    response: {
      status: sent.status,
      statusText: "",
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairs(sent.responseHeaders, redact),
      content: { size: Buffer.byteLength(sent.responseBody), mimeType: typeOf(sent.responseHeaders), text: redact(sent.responseBody) },
      redirectURL: redact(headerOf(sent.responseHeaders, "location")),
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
  };
}

const secretHeaders = /^(cookie|set-cookie|authorization)$/i;

const pairs = (headers: readonly [string, string][], redact: Redactor): Pair[] =>
  headers.map(([name, value]) => ({ name, value: secretHeaders.test(name) && !value.startsWith("Bearer $") ? "…" : redact(value) }));

function queryOf(url: string): Pair[] {
  const at = url.indexOf("?");
  return at < 0 ? [] : [...new URLSearchParams(url.slice(at + 1))].map(([name, value]) => ({ name, value }));
}

const headerOf = (headers: readonly [string, string][], wanted: string): string =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? "";

const typeOf = (headers: readonly [string, string][]): string => headerOf(headers, "content-type");
