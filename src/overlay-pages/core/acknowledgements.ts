// Sends acknowledgements to the server one after the other, and repeats each one until it is answered for good.

import type { Cancel, Clock } from "./clock.ts";
import { backoff } from "./connection.ts";

export type Acknowledgement = Readonly<{ playbackId: string; step: "started" | "ended" }>;

export type AcknowledgementDeps = {
  /** Resolves to the response's status; rejects when there is no response. */
  send: (acknowledgement: Acknowledgement) => Promise<number>;
  clock: Clock;
  random: () => number;
  onAnswer: (acknowledgement: Acknowledgement, status: number) => void;
};

export type Acknowledgements = {
  /** Does nothing if the same acknowledgement waits already. */
  add: (acknowledgement: Acknowledgement) => void;
  /** Drops the waiting acknowledgements of a playback; one that is being sent is not repeated. */
  forget: (playbackId: string) => void;
  /** The server can be reached again: ends the back-off. */
  retryNow: () => void;
  /** Whether the server has yet to answer one. */
  areWaiting: () => boolean;
};

/** The same request may succeed later. */
const isTemporary = (status: number) => status >= 500 || status === 408 || status === 429;

export function makeAcknowledgements({ send, clock, random, onAnswer }: AcknowledgementDeps): Acknowledgements {
  let queue: Acknowledgement[] = [];
  let sending = false;
  let failures = 0;
  let cancelWait: Cancel = () => {};

  const sendNext = async (): Promise<void> => {
    const [first] = queue;
    if (!first || sending) return;
    sending = true;
    cancelWait();
    const status = await send(first).catch(() => 503);
    sending = false;
    if (isTemporary(status)) {
      failures += 1;
      cancelWait = clock.after(backoff(failures, random), sendNext);
      return;
    }
    failures = 0;
    queue = queue.filter((one) => one !== first);
    onAnswer(first, status);
    return sendNext();
  };
  return {
    add: (acknowledgement) => {
      if (queue.some(({ playbackId, step }) => playbackId === acknowledgement.playbackId && step === acknowledgement.step)) return;
      queue.push(acknowledgement);
      if (queue.length === 1) void sendNext();
    },
    forget: (forgotten) => {
      queue = queue.filter(({ playbackId }) => playbackId !== forgotten);
    },
    retryNow: () => {
      failures = 0;
      void sendNext();
    },
    areWaiting: () => queue.length > 0,
  };
}
