// Tells the server what was shown: one after the other, each until it is answered.

import { backoff } from "./backoff.ts";
import type { Cancel, Clock } from "./clock.ts";

export type Acknowledgement = Readonly<{ playbackId: string; step: "started" | "ended" }>;

export type AcknowledgementParts = {
  /** Resolves to the answer's status; rejects when there is none. */
  send: (acknowledgement: Acknowledgement) => Promise<number>;
  clock: Clock;
  random: () => number;
  onAnswer: (acknowledgement: Acknowledgement, status: number) => void;
};

export type Acknowledgements = {
  /** Does nothing when the same one waits already. */
  add: (acknowledgement: Acknowledgement) => void;
  /** Drops what waits of a playback; one that is under way is not repeated. */
  forget: (playbackId: string) => void;
  /** The server can be reached again: don't wait. */
  nudge: () => void;
};

/** Statuses that say "try again". */
const passing = (status: number) => status >= 500 || status === 408 || status === 429;

export function makeAcknowledgements({ send, clock, random, onAnswer }: AcknowledgementParts): Acknowledgements {
  let queue: Acknowledgement[] = [];
  let sending = false;
  let failures = 0;
  let cancelWait: Cancel = () => {};

  const next = async (): Promise<void> => {
    const [first] = queue;
    if (!first || sending) return;
    sending = true;
    cancelWait();
    const status = await send(first).catch(() => 503);
    sending = false;
    if (passing(status)) {
      failures += 1;
      cancelWait = clock.after(backoff(failures, random), next);
      return;
    }
    failures = 0;
    queue = queue.filter((one) => one !== first);
    onAnswer(first, status);
    return next();
  };
  return {
    add: (acknowledgement) => {
      if (queue.some(({ playbackId, step }) => playbackId === acknowledgement.playbackId && step === acknowledgement.step)) return;
      queue.push(acknowledgement);
      if (queue.length === 1) void next();
    },
    forget: (forgotten) => {
      queue = queue.filter(({ playbackId }) => playbackId !== forgotten);
    },
    nudge: () => {
      failures = 0;
      void next();
    },
  };
}
