// Tells every process, as fast as it can, that something changed for a streamer. Only a hint: whoever must not miss a
// change also looks for itself now and then, so a lost message costs a second and nothing else. Here is what all adapters
// share: who listens in this process, and how many hints become few messages.

import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { packHints, readHints } from "./message.ts";

export type Notifier = {
  /** Never throws, never waits. Listeners of this process are called at once, and again when it repeats within 20 ms. */
  notify: (streamerId: string) => void;
  subscribe: (listener: (streamerId: string) => void) => void;
  close: () => Promise<void>;
};

/** Carries messages to the other processes (and perhaps back to this one). */
export type Broker = {
  /** Never rejects: what cannot be sent is dropped. */
  send: (messages: readonly string[]) => Promise<void>;
  close: () => Promise<void>;
};

export type OpenBroker = (receive: (message: string) => void) => Broker;

/** A streamer is told of at most once in this time, here and elsewhere. */
const windowMs = 20;

/** There is one process only. */
export const noBroker: OpenBroker = () => ({ send: async () => {}, close: async () => {} });

/**
 * The first hint goes out at once; those that come within the window after it go out together at its end. So a hint is
 * never swallowed by one before it: what changed after a listener looked is told again.
 */
export function gatherHints(open: OpenBroker, log: Logger): Notifier {
  const origin = randomBytes(6).toString("base64url");
  const listeners = new Set<(streamerId: string) => void>();
  const unsent = new Set<string>();
  let told = new Set<string>();
  let again = new Set<string>();
  let window: NodeJS.Timeout | null = null;
  let sending = false;
  let closed = false;

  const deliver = (streamerId: string) => {
    for (const listener of listeners) {
      try {
        listener(streamerId);
      } catch (error) {
        log.error({ error: describeFailure(error) }, "a listener of the notifier failed");
      }
    }
  };
  const broker = open((message) => {
    const hints = readHints(message);
    if (closed || !hints || hints.origin === origin) return;
    hints.streamerIds.forEach(deliver);
  });
  /** One message at a time: what comes while the broker is slow is gathered, and never more than one entry a streamer. */
  const send = async () => {
    if (closed || sending || unsent.size === 0) return;
    const messages = packHints(origin, [...unsent]);
    unsent.clear();
    sending = true;
    await broker.send(messages);
    sending = false;
  };
  const endWindow = () => {
    told = again;
    again = new Set();
    window = told.size > 0 || unsent.size > 0 ? setTimeout(endWindow, windowMs) : null;
    told.forEach(deliver);
    void send();
  };

  return {
    notify: (streamerId) => {
      if (closed) return;
      unsent.add(streamerId);
      if (!window) {
        window = setTimeout(endWindow, windowMs);
        setImmediate(send); // not now: the streamers of one batch of donations are told in one message
      }
      if (told.has(streamerId)) {
        again.add(streamerId);
        return;
      }
      told.add(streamerId);
      deliver(streamerId);
    },
    subscribe: (listener) => {
      listeners.add(listener);
    },
    close: async () => {
      closed = true;
      if (window) clearTimeout(window);
      listeners.clear();
      await broker.close();
    },
  };
}
