// Notifies every process that something changed for a streamer. A notification is a hint that may be lost: listeners also poll the
// database, so a lost message delays a change by about a second. These are the types that all brokers share.

export type Notifier = {
  /** Never throws, never waits. Calls the listeners of this process at once, and once more when it is repeated within 20 ms. */
  notify: (streamerId: string) => void;
  subscribe: (listener: (streamerId: string) => void) => void;
  close: () => Promise<void>;
};

/** Sends messages to the other processes, and perhaps back to this one. */
export type Broker = {
  /** Never rejects: messages that cannot be sent are dropped. */
  send: (messages: readonly string[]) => Promise<void>;
  close: () => Promise<void>;
};

export type OpenBroker = (receive: (message: string) => void) => Broker;

/** For an installation of one process. */
export const noBroker: OpenBroker = () => ({ send: async () => {}, close: async () => {} });
