// What the overlay needs from other folders; app.ts provides it.

import type { Currency } from "../http/summed-currency.ts";

/** Notifies every process that something changed for a streamer. Notifications may be lost: the poll finds the change then. */
export type Notifier = {
  /** Never throws, never waits. Listeners of this process are called at once. */
  notify: (streamerId: string) => void;
  subscribe: (listener: (streamerId: string) => void) => void;
};

export type Speech = {
  /** Resolves to null when making the speech fails, takes too long, or exceeds the streamer's quota. */
  prepare: (streamerId: string, donation: SpokenDonation) => Promise<PreparedSpeech | null>;
  read: (hash: string) => Promise<{ mime: string; bytes: Buffer } | null>;
};

type SpokenDonation = {
  donatorName: string;
  amount: number;
  currency: Currency;
  message: string;
  language: "th";
  /** Null: the server's. */
  voice: string | null;
};
export type PreparedSpeech = { hash: string; mime: string; durationMs: number | null };
