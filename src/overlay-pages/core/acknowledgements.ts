// Sends acknowledgements to the server one after the other, and repeats each one until it is answered for good. Ends are stored until then.

import type { Cancel, Clock } from "./clock.ts";
import { backoff } from "./connection.ts";

export type Acknowledgement = Readonly<{ playbackId: string; step: "started" | "ended" }>;

type AcknowledgementDeps = {
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

/**
 * Ends of playbacks that the server has not yet answered. They are stored beyond the life of their page: when it is reloaded while the server
 * can't be reached, the alert must not be shown again, and its end must still be acknowledged.
 */
export type UnsentEnds = {
  add: (playbackId: string) => void;
  settle: (playbackId: string) => void;
  /** Oldest first. */
  list: () => readonly string[];
};

/** Holds one text for each overlay key, shared by all pages of a browser. */
type TextStorage = { read: () => string | null; write: (text: string) => void };

/** Older ends are dropped. */
const maxEnds = 50;

export function makeUnsentEnds({ read, write }: TextStorage): UnsentEnds {
  /** Without storage, an end is kept as long as its page. */
  const local = new Set<string>();
  const list = () => [...new Set([...parse(read()), ...local])].slice(-maxEnds);
  const save = (ids: readonly string[]) => write(JSON.stringify(ids));
  return {
    add: (playbackId) => {
      local.add(playbackId);
      for (const old of local) if (local.size > maxEnds) local.delete(old);
      save(list());
    },
    settle: (playbackId) => {
      local.delete(playbackId);
      const others = list().filter((id) => id !== playbackId);
      if (others.length < parse(read()).length) save(others);
    },
    list,
  };
}

/** Accepts any text, because another program may have written it. */
function parse(text: string | null): string[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(parsed) ? parsed.filter((id) => typeof id === "string").slice(-maxEnds) : [];
  } catch {
    return [];
  }
}

/** The name under which something of an overlay key is stored. It holds a short checksum of the key, because the key is a secret and must not be stored. */
export function storedName(what: "player" | "unsettled", key: string): string {
  let sum = 0x811c9dc5; // FNV-1a
  for (const byte of new TextEncoder().encode(key)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return `overlay.${what}.${sum.toString(16)}`;
}
