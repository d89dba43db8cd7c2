// The connection that copies all tables out of a database, or into one.

import pg from "pg";
import { addressForDriver } from "../../config-tls.ts";

/** Rejects when there is no connection. One that is lost later fails the query under way, and does not end the process. */
export async function connect(url: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: addressForDriver(url), application_name: applicationName });
  client.on("error", () => {}); // without a listener an error of the socket would end the process
  await client.connect();
  return client;
}
