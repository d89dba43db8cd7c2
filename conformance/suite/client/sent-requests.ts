// Writes all requests of a run to a file (`--har`).

import { appendFileSync, statSync } from "node:fs";
import type { Reply, Request } from "../contract/http-request.ts";
import { named } from "../values/redact.ts";
import { running } from "../values/running.ts";
import { target } from "../values/target.ts";

/** A request with its answer, as the report needs it. */
export type LoggedRequest = {
  rule: string;
  startedAt: number;
  milliseconds: number;
  method: string;
  url: string;
  requestHeaders: [string, string][];
  requestBody: string | null;
  status: number;
  responseHeaders: [string, string][];
  responseBody: string;
};

/** Name of the file that has a byte for each request that was left out, beside the file of all requests. */
export const leftOutFile = (requests: string): string => `${requests}.left-out`;

/** Appends the request and its answer to the file of all requests, if this run has one (`--har`), until the file is full. */
export function logRequest(request: Request, reply: Reply, startedAt: number): void {
  const { requests, maxRequestBytes, url, keys } = target();
  if (requests === null) return;
  if ((statSync(requests, { throwIfNoEntry: false })?.size ?? 0) >= maxRequestBytes) return void appendFileSync(leftOutFile(requests), ".");
  const { method = "GET", path, server = url, headers = {}, key, body } = request;
  const name = key === null ? null : (named(target()).find(([secret]) => secret === (key ?? keys.main))?.[1] ?? "…");
  const sent: LoggedRequest = {
    rule: running()?.fullName ?? "",
    startedAt,
    milliseconds: Date.now() - startedAt,
    method,
    url: server + path,
    requestHeaders: [...(name ? [["Authorization", `Bearer ${name}`] as [string, string]] : []), ...Object.entries(headers)],
    requestBody: body === undefined ? null : Buffer.from(body).toString("utf8"),
    status: reply.status,
    responseHeaders: Object.entries(reply.headers).map(([header, value]) => [header, String(value)]),
    responseBody: reply.text,
  };
  appendFileSync(requests, `${JSON.stringify(sent)}\n`);
}
