// Values in SQL: arrays as text, and the bindings of raw statements. Arrays are written as PostgreSQL reads them (manual, 8.15.2), because the
// driver would examine each element character by character.

import type {} from "knex";

type Element = string | number | boolean | null;

/** An array literal of any elements. A number is written as the shortest decimal that reads back to the same double. */
export function arrayLiteral(elements: readonly Element[]): string {
  let list = "";
  for (const element of elements) list += `,${literal(element)}`;
  return `{${list.slice(1)}}`;
}

function literal(element: Element): string {
  if (element === null) return "NULL";
  if (typeof element !== "string") return String(element);
  return plain.test(element) ? element : `"${element.replace(/["\\]/g, "\\$&")}"`;
}

/** Needs no quotes: ids, numbers, words of the contract. `null` would be read as NULL. */
const plain = /^(?!null$)[\w.:-]+$/i;

// Bindings of raw SQL. Knex's own types take neither arrays that are read-only nor arrays of mixed values, which `pg` writes like any other.

export type SqlBinding = string | number | boolean | null | Date | Buffer | object | readonly SqlBinding[];
export type SqlBindings = readonly SqlBinding[] | Readonly<Record<string, SqlBinding>>;

declare module "knex" {
  namespace Knex {
    // biome-ignore lint/suspicious/noExplicitAny: an interface is only extended under its own type parameters
    interface RawBuilder<TRecord extends {} = any, TResult = any> {
      // biome-ignore lint/style/useShorthandFunctionType: a function type does not extend the interface of Knex
      <TResult2 = TResult>(sql: string, bindings: SqlBindings): Raw<TResult2>;
    }
  }
}
