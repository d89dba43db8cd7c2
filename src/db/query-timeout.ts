// Limits the wait for an answer of the database. A stopped server or a broken network does not close the connection, and a query would wait
// for hours.

import type { Client } from "pg";
import { aroundQuery } from "../telemetry/statements.ts";

type Stream = { connection: { stream: { destroy: (error: Error) => void } } };
type Connection = Pick<Client, "query"> & Stream;

/** Closes a new connection when `open` is not done within `ms`: a pooler takes connections while it has no server for their first statement. */
export async function openWithin(client: Stream, ms: number, open: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(timeout(ms)), ms);
  await open().finally(() => clearTimeout(timer));
}

const timeout = (ms: number): Error => new Error(`timeout expired: no answer within ${ms} ms`);

/** Closes the connection when a statement is not answered within `ms`. The statement then fails as on any lost connection. */
export function cutWhenUnanswered(client: Connection, ms: number): void {
  const cut = () => client.connection.stream.destroy(timeout(ms));
  aroundQuery(client, () => {
    const timer = setTimeout(cut, ms).unref();
    return () => clearTimeout(timer);
  });
}
