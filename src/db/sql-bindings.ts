// Bindings of raw SQL. Knex's own types take neither arrays that are read-only nor arrays of mixed values, which `pg` writes like any other.

import type {} from "knex";

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
