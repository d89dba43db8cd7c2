// Streaming categories, which are reference data: their SQL, and the operation listStreamingCategories.

import { createHash } from "node:crypto";
import type { Knex } from "knex";
import { foldPart } from "../base/text.ts";
import type { Handler } from "../http/operations.ts";

type Row = { id: string; position: number; name_th: string; name_en: string };

/** All categories, or those with a name that contains the text, in the order in which lists show them. */
export const listStreamingCategories =
  (knex: Knex): Handler<"listStreamingCategories"> =>
  async ({ query, header }) => {
    const term = foldPart(query.q ?? "");
    const rows = await knex<Row>("streaming_categories").orderBy("position");
    const matching = rows.filter(({ name_th, name_en }) => [name_th, name_en].some((name) => foldPart(name).includes(term)));
    const body = { data: matching.map(({ id, name_th, name_en }) => ({ id, name: { th: name_th, en: name_en } })) };
    const headers = { ETag: etagOf(body), "Cache-Control": "private, max-age=3600" } as const;
    return matchesEtag(header["If-None-Match"], headers.ETag) ? { status: 304, headers } : { status: 200, headers, body };
  };

/** Strong (RFC 9110 8.8.3): equal bytes have equal tags. */
function etagOf(body: unknown): string {
  return `"${createHash("sha256").update(JSON.stringify(body)).digest("base64url").slice(0, 27)}"`;
}

/** Whether If-None-Match contains the tag, by weak comparison (RFC 9110 13.1.2). */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
