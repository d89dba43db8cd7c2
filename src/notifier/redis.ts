// Redis pub/sub, over one connection for both directions (RESP3).

import type { Logger } from "pino";
import { openRedis } from "../db/redis.ts";
import type { OpenBroker } from "./notifier.ts";

export type RedisBrokerParts = { url: string; channel: string; log: Logger };

/** Connects in the background, for ever, and says so once per outage. */
export function redisBroker({ url, channel, log }: RedisBrokerParts): OpenBroker {
  return (receive) => {
    const { client, close } = openRedis(url, { name: "notifier", log });
    // The client itself subscribes again after a lost connection, but not when the first attempt was cut off.
    client.on("ready", () => client.subscribe(channel, receive).catch(() => {}));
    return {
      send: async (messages) => {
        await Promise.allSettled(messages.map((message) => client.publish(channel, message)));
      },
      close: async () => close(),
    };
  };
}
