// The connection to Redis, which is optional: while it is unavailable nothing waits for it, nothing fails, and the log has one line.

import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { watchOutage } from "../telemetry/log.ts";

type Redis = {
  /** Rejects commands at once while there is no connection. */
  client: ReturnType<typeof create>;
  /** Resolves when the connection is up, or half a second after the start without one: a server starts while its Redis is away. */
  connected: Promise<void>;
  close: () => void;
};

const pingMs = 5_000;
/** Longer than the answer to a ping takes: a connection without data for so long is dead. */
const socketTimeoutMs = 15_000;
const maxPauseMs = 2_000;
const maxFirstWaitMs = 500;

/** Connects, and connects again after a failure, in the background. `name` is the name in `CLIENT LIST`. */
export function openRedis(url: string, { name, log }: { name: string; log: Logger }): Redis {
  const client = create(url, name);
  const outage = watchOutage(log, "Redis");
  let isClosed = false;
  client.on("error", outage.begins).on("ready", outage.ends);
  // The client forgets that it was destroyed while its socket was connecting.
  client.on("connect", () => isClosed && client.destroy());
  const ready = new Promise<void>((resolve) => client.once("ready", resolve));
  const connected = Promise.race([ready, sleep(maxFirstWaitMs, undefined, { ref: false })]);
  client.connect().catch(() => {}); // failures come as events; this is `close` before the first connection
  return {
    client,
    connected,
    close: () => {
      isClosed = true;
      client.destroy();
    },
  };
}

const require = createRequire(import.meta.url);

function create(url: string, name: string) {
  // Loaded here, because most servers have no Redis and the package is a tenth of the start's time.
  const { createClient } = require("@redis/client") as typeof import("@redis/client");
  return createClient({
    url,
    name,
    disableOfflineQueue: true,
    pingInterval: pingMs,
    socket: { socketTimeout: socketTimeoutMs, reconnectStrategy: pauseBefore },
  });
}

/** Milliseconds before the next attempt: they double, with a random part, so that processes do not all connect at the same time. */
function pauseBefore(attempt: number): number {
  return Math.min(100 * 2 ** attempt, maxPauseMs) * (0.5 + Math.random() / 2);
}
