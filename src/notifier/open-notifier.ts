// Opens the notifier that the operator has chosen with NOTIFIER. It calls the listeners of this process, and gathers the hints for other
// processes into few messages of a broker.

import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { openRedis } from "../db/redis.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { type Broker, type Notifier, noBroker, type OpenBroker } from "./notifier.ts";
import { postgresBroker } from "./postgres.ts";

/** Connects to its broker in the background. `databaseUrl`: without a connection pooler. */
export function openNotifier(config: Config, databaseUrl: string, log: Logger): Notifier {
  return batchHints(chooseBroker(config, databaseUrl, log), log);
}

function chooseBroker(config: Config, databaseUrl: string, log: Logger): OpenBroker {
  const channel = `${config.brand}:overlay`;
  if (config.notifier === "postgres") return postgresBroker(databaseUrl, channel, log);
  if (config.notifier === "redis" && config.redisUrl) return redisBroker(config.redisUrl, channel, log);
  return noBroker;
}

type Listener = (streamerId: string) => void;

type State = {
  readonly log: Logger;
  /** Marks the messages of this process. */
  readonly origin: string;
  readonly listeners: Set<Listener>;
  readonly broker: Broker;
  /** Streamers whose hints wait for the next message. */
  readonly unsent: Set<string>;
  /** Streamers that listeners were notified of in this window. */
  notified: Set<string>;
  /** Streamers to notify listeners of once more at the end of this window. */
  repeated: Set<string>;
  window: NodeJS.Timeout | null;
  isSending: boolean;
  isClosed: boolean;
};

/** Within this time, listeners and other processes are notified of a streamer at most once. */
const windowMs = 20;

/**
 * Sends the first hint at once, and hints that follow within the window together at its end. So each hint is delivered after the change
 * that it announces, even when another one for the same streamer was delivered just before.
 */
function batchHints(open: OpenBroker, log: Logger): Notifier {
  const state: State = {
    log,
    origin: randomBytes(6).toString("base64url"),
    listeners: new Set(),
    broker: open((message) => receive(state, message)),
    unsent: new Set(),
    notified: new Set(),
    repeated: new Set(),
    window: null,
    isSending: false,
    isClosed: false,
  };
  return {
    notify: (streamerId) => notify(state, streamerId),
    subscribe: (listener) => {
      state.listeners.add(listener);
    },
    close: () => close(state),
  };
}

function notify(state: State, streamerId: string): void {
  if (state.isClosed) return;
  state.unsent.add(streamerId);
  if (!state.window) {
    state.window = setTimeout(endWindow, windowMs, state);
    setImmediate(send, state); // later in this tick, so that the streamers of one batch of donations share a message
  }
  if (state.notified.has(streamerId)) {
    state.repeated.add(streamerId);
    return;
  }
  state.notified.add(streamerId);
  deliver(state, streamerId);
}

function endWindow(state: State): void {
  state.notified = state.repeated;
  state.repeated = new Set();
  const { notified, unsent } = state;
  state.window = notified.size > 0 || unsent.size > 0 ? setTimeout(endWindow, windowMs, state) : null;
  for (const streamerId of notified) deliver(state, streamerId);
  void send(state);
}

/** Sends one message at a time. While the broker is slow, at most one entry for each streamer waits. */
async function send(state: State): Promise<void> {
  const { isClosed, isSending, unsent, origin, broker } = state;
  if (isClosed || isSending || unsent.size === 0) return;
  const messages = packHints(origin, [...unsent]);
  unsent.clear();
  state.isSending = true;
  await broker.send(messages);
  state.isSending = false;
}

function receive(state: State, message: string): void {
  const hints = readHints(message);
  if (state.isClosed || !hints || hints.origin === state.origin) return;
  for (const streamerId of hints.streamerIds) deliver(state, streamerId);
}

function deliver({ listeners, log }: State, streamerId: string): void {
  for (const listener of listeners) {
    try {
      listener(streamerId);
    } catch (error) {
      log.error({ error: describeFailure(error) }, "a listener of the notifier failed");
    }
  }
}

async function close(state: State): Promise<void> {
  state.isClosed = true;
  if (state.window) clearTimeout(state.window);
  state.listeners.clear();
  await state.broker.close();
}

// The format of a message: `<origin> <streamer id>,<streamer id>,…`. By the origin a process recognises its own messages.
type Hints = { origin: string; streamerIds: string[] };

/** PostgreSQL refuses payloads of 8,000 bytes and more. */
const maxMessageBytes = 7_900;
const idLength = 36;

const pattern = /^(?<origin>[\w-]{1,32}) (?<ids>[0-9a-f-]{36}(?:,[0-9a-f-]{36})*)$/;

/** Packs the ids into as few messages as possible. */
export function packHints(origin: string, streamerIds: readonly string[]): string[] {
  const idsPerMessage = Math.floor((maxMessageBytes - origin.length) / (idLength + 1));
  const count = Math.ceil(streamerIds.length / idsPerMessage);
  return Array.from({ length: count }, (_, i) => `${origin} ${streamerIds.slice(i * idsPerMessage, (i + 1) * idsPerMessage).join(",")}`);
}

/** Null for a text of another format: any client of the broker can send to the channel. */
export function readHints(message: string): Hints | null {
  const { origin, ids } = pattern.exec(message)?.groups ?? {};
  return origin && ids ? { origin, streamerIds: ids.split(",") } : null;
}

// Redis pub/sub, over one connection for both directions (RESP3).

/** Connects in the background, connects again after each failure, and logs each outage once. */
function redisBroker(url: string, channel: string, log: Logger): OpenBroker {
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
