// Redis pub/sub, over one connection for both directions (RESP3).

import { openRedis } from "../db/redis.ts";
import type { BrokerDeps, OpenBroker } from "./notifier.ts";

/** Connects in the background, connects again after each failure, and logs each outage once. */
export function redisBroker({ url, channel, log }: BrokerDeps): OpenBroker {
  return (receive) => {
    const { client, close } = openRedis(url, { name: "notifier", log });
    // The client subscribes again by itself after a lost connection, but not if the first attempt was interrupted.
    client.on("ready", () => client.subscribe(channel, receive).catch(() => {}));
    return {
      send: async (messages) => {
        await Promise.allSettled(messages.map((message) => client.publish(channel, message)));
      },
      close: async () => close(),
    };
  };
}
