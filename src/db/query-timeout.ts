// A server that has stopped, or a network that swallows everything, closes nothing: whoever waits for an answer would wait for hours.

import type { Client } from "pg";

type Answered = (...outcome: unknown[]) => void;
type Connection = Pick<Client, "query"> & { connection: { stream: { destroy: (error: Error) => void } } };

/** Cuts the connection when a statement is not answered within `ms`; the statement then fails as on any lost connection. */
export function cutWhenSilent(client: Connection, ms: number): void {
  const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
  const cut = () => client.connection.stream.destroy(new Error(`timeout expired: no answer within ${ms} ms`));
  client.query = ((...parts: unknown[]) => {
    const timer = setTimeout(cut, ms).unref();
    const answered = parts.at(-1);
    if (typeof answered === "function") {
      const done: Answered = (...outcome) => {
        clearTimeout(timer);
        (answered as Answered)(...outcome);
      };
      return query(...parts.slice(0, -1), done);
    }
    const answer = query(...parts);
    if (answer instanceof Promise) return answer.finally(() => clearTimeout(timer));
    clearTimeout(timer); // a cursor, which is read piece by piece
    return answer;
  }) as Client["query"];
}
