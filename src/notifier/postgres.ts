// LISTEN and NOTIFY on a connection of its own, never inside the transaction that records donations: NOTIFY holds a lock on the whole
// database until its transaction ends. It needs a session of its own: behind a connection pooler that shares server connections between
// transactions nothing arrives, which is tried out, because a pooler gives every session a server connection in another mode.

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { addressForDriver } from "../config-tls.ts";
import { processIdOf } from "../db/session.ts";
import { type Outage, watchOutage } from "../telemetry/log.ts";
import type { OpenBroker } from "./notifier.ts";

const connectLimitMs = 4_000;
const queryLimitMs = 5_000;
const heartbeatIntervalMs = 10_000;
const retryDelayMs = 1_000;
const probeLimitMs = 2_000;

/** A hint need not survive a crash, and its lock must not be held until the disk has written the commit. */
const notifySql = `with hints as (select set_config('synchronous_commit', 'off', true))
  select pg_notify($1, message) from hints cross join unnest($2::text[]) as message`;

/** Connects in the background, connects again after each failure, and logs each outage once. */
export function postgresBroker(url: string, channel: string, log: Logger): OpenBroker {
  return (receive) => {
    const outage = watchOutage(log, "PostgreSQL's NOTIFY");
    const stopping = new AbortController();
    let current: pg.Client | null = null;
    const session: Session = { url, channel, receive, outage, stopping: stopping.signal, setClient: (client) => (current = client) };
    const running = keepListening(session);
    return {
      send: async (messages) => {
        const sent = current?.query(notifySql, [channel, messages]);
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
async function listen(session: Session): Promise<void> {
  const { url, channel, receive, outage, stopping, setClient } = session;
  const client = makeClient(url);
  let stop = () => {};
  const lost = new Promise<never>((_, reject) => {
    client.on("error", reject).on("end", () => reject(new Error("Connection terminated")));
    stop = () => reject(stopping.reason);
  });
  stopping.addEventListener("abort", stop);
  client.on("notification", ({ payload }) => receive(payload ?? ""));
  try {
    await Promise.race([client.connect(), lost]);
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    await Promise.race([requireNotifications(client, session), lost]);
    outage.ends();
    setClient(client);
    await Promise.race([lost, sendHeartbeats(client, stopping)]);
  } finally {
    setClient(null);
    stopping.removeEventListener("abort", stop);
    await end(client);
  }
}

/** A server that does not answer does not close the connection either. */
async function end(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => {}), pause(queryLimitMs, undefined, { ref: false })]);
}

function makeClient(url: string): pg.Client {
  return new pg.Client({
    connectionString: addressForDriver(url),
    application_name: "donations notifier",
    connectionTimeoutMillis: connectLimitMs,
    query_timeout: queryLimitMs,
    keepAlive: true,
  });
}

/** Rejects when a pooler answers and a notification of another connection does not arrive at this one, which is idle. */
async function requireNotifications(client: pg.Client, { url, channel }: Session): Promise<void> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  if (rows[0]?.pid === processIdOf(client)) return;
  const probe = randomUUID();
  const arrived = new Promise<true>((resolve) => client.on("notification", ({ payload }) => payload === probe && resolve(true)));
  const other = makeClient(url);
  other.on("error", () => {});
  try {
    await other.connect();
    await other.query(notifySql, [channel, [probe]]);
    if (await Promise.race([arrived, pause(probeLimitMs, false)])) return;
  } finally {
    await end(other);
  }
  throw new Error(
    "LISTEN needs a session, and a connection pooler shares them between transactions: set LISTEN_DATABASE_URL to the address of the server itself, or NOTIFIER=redis",
  );
}

/** Rejects when the server does not answer, which is how a silently broken connection is noticed. */
async function sendHeartbeats(client: pg.Client, stopping: AbortSignal): Promise<void> {
  for (;;) {
    await pause(heartbeatIntervalMs, undefined, { signal: stopping });
    await client.query("select 1");
  }
}
