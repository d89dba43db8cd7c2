// LISTEN and NOTIFY on a connection of its own. Never inside the transaction that records: NOTIFY holds a lock over the
// whole database until its transaction ends.

import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { type Outage, watchOutage } from "../db/outage.ts";
import type { OpenBroker } from "./notifier.ts";

export type PostgresBrokerParts = { url: string; channel: string; log: Logger };

const connectMs = 4_000;
const queryMs = 5_000;
const heartbeatMs = 10_000;
const retryMs = 1_000;

/** Connects in the background, for ever, and says so once per outage. */
export function postgresBroker({ url, channel, log }: PostgresBrokerParts): OpenBroker {
  return (receive) => {
    const outage = watchOutage(log, "PostgreSQL's NOTIFY");
    const stopping = new AbortController();
    let current: pg.Client | null = null;
    const session: Session = { url, channel, receive, outage, stopping: stopping.signal, use: (client) => (current = client) };
    const running = listenForEver(session);
    return {
      send: async (messages) => {
        const sent = current?.query("select pg_notify($1, message) from unnest($2::text[]) as message", [channel, messages]);
        await sent?.then(outage.ends, outage.begins);
      },
      close: async () => {
        stopping.abort();
        await running;
      },
    };
  };
}

type Session = {
  url: string;
  channel: string;
  receive: (message: string) => void;
  outage: Outage;
  stopping: AbortSignal;
  /** Told of the connection while it listens, and of null when it is lost. */
  use: (client: pg.Client | null) => void;
};

async function listenForEver(session: Session): Promise<void> {
  const { stopping, outage } = session;
  while (!stopping.aborted) {
    await listen(session).catch((error) => stopping.aborted || outage.begins(error));
    await pause(retryMs, undefined, { signal: stopping }).catch(() => {});
  }
}

/** Listens until the connection is lost, which it reports by throwing, or until it is told to stop. */
async function listen({ url, channel, receive, outage, stopping, use }: Session): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "donations notifier",
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    keepAlive: true,
  });
  let stop = () => {};
  const lost = new Promise<never>((_, reject) => {
    client.on("error", reject).on("end", () => reject(new Error("Connection terminated")));
    stop = () => reject(stopping.reason);
  });
  stopping.addEventListener("abort", stop);
  client.on("notification", ({ payload }) => receive(payload ?? ""));
  try {
    await Promise.race([client.connect(), lost]);
    // A hint need not survive a crash, and must not hold its lock for as long as a disk takes.
    await client.query(`set synchronous_commit = off; listen ${client.escapeIdentifier(channel)}`);
    outage.ends();
    use(client);
    await Promise.race([lost, beat(client, stopping)]);
  } finally {
    use(null);
    stopping.removeEventListener("abort", stop);
    await Promise.race([client.end().catch(() => {}), pause(queryMs, undefined, { ref: false })]);
  }
}

/** A connection whose other end is gone without a word answers nothing: this throws then. */
async function beat(client: pg.Client, stopping: AbortSignal): Promise<void> {
  for (;;) {
    await pause(heartbeatMs, undefined, { signal: stopping });
    await client.query("select 1");
  }
}
