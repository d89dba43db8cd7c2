// LISTEN and NOTIFY on a connection of its own, never inside the transaction that records donations: NOTIFY holds a lock on the whole
// database until its transaction ends.

import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { type Outage, watchOutage } from "../db/outage.ts";
import type { OpenBroker } from "./notifier.ts";

export type PostgresBrokerDeps = { url: string; channel: string; log: Logger };

const connectLimitMs = 4_000;
const queryLimitMs = 5_000;
const heartbeatIntervalMs = 10_000;
const retryDelayMs = 1_000;

/** Connects in the background, connects again after each failure, and logs each outage once. */
export function postgresBroker({ url, channel, log }: PostgresBrokerDeps): OpenBroker {
  return (receive) => {
    const outage = watchOutage(log, "PostgreSQL's NOTIFY");
    const stopping = new AbortController();
    let current: pg.Client | null = null;
    const session: Session = { url, channel, receive, outage, stopping: stopping.signal, setClient: (client) => (current = client) };
    const running = keepListening(session);
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
  /** Called with the connection when it listens, and with null when it is lost. */
  setClient: (client: pg.Client | null) => void;
};

async function keepListening(session: Session): Promise<void> {
  const { stopping, outage } = session;
  while (!stopping.aborted) {
    await listen(session).catch((error) => stopping.aborted || outage.begins(error));
    await pause(retryDelayMs, undefined, { signal: stopping }).catch(() => {});
  }
}

/** Listens until the connection is lost or the broker is closed, and then rejects. */
async function listen({ url, channel, receive, outage, stopping, setClient }: Session): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "donations notifier",
    connectionTimeoutMillis: connectLimitMs,
    query_timeout: queryLimitMs,
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
    // A hint need not survive a crash, and its lock must not be held until the disk has written the commit.
    await client.query(`set synchronous_commit = off; listen ${client.escapeIdentifier(channel)}`);
    outage.ends();
    setClient(client);
    await Promise.race([lost, sendHeartbeats(client, stopping)]);
  } finally {
    setClient(null);
    stopping.removeEventListener("abort", stop);
    await Promise.race([client.end().catch(() => {}), pause(queryLimitMs, undefined, { ref: false })]);
  }
}

/** Rejects when the server does not answer, which is how a silently broken connection is noticed. */
async function sendHeartbeats(client: pg.Client, stopping: AbortSignal): Promise<void> {
  for (;;) {
    await pause(heartbeatIntervalMs, undefined, { signal: stopping });
    await client.query("select 1");
  }
}
