// Opens a database connection for one piece of work, and closes it.

import pg from "pg";

/** Runs `work` with a connection of its own to a database. */
export async function withConnection<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  options: Omit<pg.ClientConfig, "connectionString"> = {},
): Promise<T> {
  const client = new pg.Client({ ...options, connectionString: url });
  client.on("error", () => {}); // the statement under way fails with it
  await client.connect();
  return work(client).finally(() => client.end());
}
