// Redis: always only a helper. While it is away nothing waits for it, nothing fails, and the log has one line.

import { createClient } from "@redis/client";
import type { Logger } from "pino";
import { watchOutage } from "./outage.ts";

export type Redis = {
  /** Rejects commands at once while there is no connection. */
  client: ReturnType<typeof create>;
  close: () => void;
};

const pingMs = 5_000;
/** Longer than a ping takes to come back: a connection that says nothing for so long is dead. */
const silenceMs = 15_000;
const longestPauseMs = 2_000;

/** A connection that is made, and made again, in the background. `name` is what `CLIENT LIST` shows. */
export function openRedis(url: string, { name, log }: { name: string; log: Logger }): Redis {
  const client = create(url, name);
  const outage = watchOutage(log, "Redis");
  let closed = false;
  client.on("error", outage.begins).on("ready", outage.ends);
  // The client forgets that it was destroyed while its socket was connecting.
  client.on("connect", () => closed && client.destroy());
  client.connect().catch(() => {}); // failures come as events; this is `close` before the first connection
  return {
    client,
    close: () => {
      closed = true;
      client.destroy();
    },
  };
}

function create(url: string, name: string) {
  return createClient({
    url,
    name,
    disableOfflineQueue: true,
    pingInterval: pingMs,
    socket: { socketTimeout: silenceMs, reconnectStrategy: pauseBefore },
  });
}

/** Doubles, and differs from process to process, so that not all of them come back in the same moment. */
function pauseBefore(attempt: number): number {
  return Math.min(100 * 2 ** attempt, longestPauseMs) * (0.5 + Math.random() / 2);
}
