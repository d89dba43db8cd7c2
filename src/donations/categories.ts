// Streaming categories, which are reference data: their SQL, and the operation listStreamingCategories.

import { createHash } from "node:crypto";
import type { Knex } from "knex";
import type { Handler, Schemas } from "../http/operations.ts";

export type Category = Schemas["StreamingCategory"];

export type CategoryStore = ReturnType<typeof categoryStore>;

export function categoryStore(knex: Knex) {
  return {
    /** All categories, in the order in which lists show them. */
    list: async (): Promise<Category[]> => {
      const rows = await knex<{ id: string; position: number; name_th: string; name_en: string }>("streaming_categories").orderBy(
        "position",
      );
      return rows.map(({ id, name_th, name_en }) => ({ id, name: { th: name_th, en: name_en } }));
    },
  };
}

export type CategoryDeps = {
  categories: CategoryStore;
  /** Maps texts that differ only in case to the same text. */
  fold: (text: string) => string;
};

export const listStreamingCategories =
  ({ categories, fold }: CategoryDeps): Handler<"listStreamingCategories"> =>
  async ({ query, header }) => {
    const term = fold(query.q ?? "");
    const matching = (await categories.list()).filter(({ name }) => fold(name.th).includes(term) || fold(name.en).includes(term));
    const body = { data: matching };
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
