// Watches the statements of a connection. `pg` has no hook for it.

import type { Client } from "pg";

type Callback = (error: unknown, ...rest: unknown[]) => void;

/** Is called when the statement has ended, with its error if it has one. */
export type EndQuery = (error?: unknown) => void;

/**
 * `begin` is called with each statement before it is sent; null: this one is not watched. A cursor or a copy, which is read later, counts as
 * ended when it was sent.
 */
export function aroundQuery(client: Pick<Client, "query">, begin: (statement: unknown) => EndQuery | null): void {
  const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
  client.query = ((...parts: unknown[]) => {
    const end = begin(parts[0]);
    return end ? callUntil(end, query, parts) : query(...parts);
  }) as Client["query"];
}

/** The text of a statement; empty where `pg` is given none, such as for a cursor. */
export function textOf(statement: unknown): string {
  const text = typeof statement === "string" ? statement : (statement as { text?: unknown } | undefined)?.text;
  return typeof text === "string" ? text : "";
}

function callUntil(end: EndQuery, query: (...parts: unknown[]) => unknown, parts: unknown[]): unknown {
  const callback = parts.at(-1);
  if (typeof callback === "function") {
    const done: Callback = (error, ...rest) => {
      end(error ?? undefined);
      (callback as Callback)(error, ...rest);
    };
    return query(...parts.slice(0, -1), done);
  }
  const answer = query(...parts);
  if (!(answer instanceof Promise)) {
    end();
    return answer;
  }
  return answer.then(
    (result) => {
      end();
      return result;
    },
    (error) => {
      end(error);
      throw error;
    },
  );
}
