// What this room needs and does not make itself.

import type { Schemas } from "../http/operations.ts";
import type { Currency } from "../http/summed-currency.ts";

/** Tells every process that something changed for a streamer: a hint only, the poll finds what it loses. */
export type Notifier = {
  /** Never throws, never waits. Listeners of this process are called at once. */
  notify: (streamerId: string) => void;
  subscribe: (listener: (streamerId: string) => void) => void;
};

export type Speech = {
  /** Null when it fails, takes too long, or too much was spoken for the streamer lately. */
  prepare: (streamerId: string, donation: Spoken) => Promise<PreparedSpeech | null>;
  read: (hash: string) => Promise<{ mime: string; bytes: Buffer } | null>;
};

export type Spoken = { donatorName: string; amount: number; currency: Currency; message: string; language: "th" };
export type PreparedSpeech = { hash: string; mime: string; durationMs: number | null };

export type Goal = Schemas["Goal"];
/** What the widgets show, and until when (milliseconds since 1970) if nobody donates: at midnight a day begins. */
export type WidgetReading = { widgets: Schemas["Widgets"]; validUntil: number };
export type ReadWidgets = (streamerId: string, goal: Goal | null) => Promise<WidgetReading>;
