// Entity tags of answers, and the conditions that requests set by them (RFC 9110 8.8.3, 13.1).

import { hash } from "node:crypto";

/** Strong: equal values have equal tags, whatever the order of their members. */
export function etagOf(body: unknown): string {
  return `"${hash("sha256", JSON.stringify(body, sorted), "base64url").slice(0, 27)}"`;
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether If-None-Match contains the tag, by weak comparison (RFC 9110 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch !== undefined && tagsOf(ifNoneMatch).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}

/** Whether If-Match allows the change: it is missing, `*`, or contains the tag, by strong comparison (RFC 9110 13.1.1). */
export function allowsChange(ifMatch: string | undefined, etag: string): boolean {
  return ifMatch === undefined || tagsOf(ifMatch).some((tag) => tag === "*" || tag === etag);
}

function tagsOf(header: string): string[] {
  return header.split(",").map((tag) => tag.trim());
}
