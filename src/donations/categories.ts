// All SQL about streaming categories, which are reference data.

import type { Knex } from "knex";
import type { Schemas } from "../http/operations.ts";

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
