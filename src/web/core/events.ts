// What the stream says (the contract's overlay operations), as the pages read it.

import type { Currency } from "../../http/summed-currency.ts";

export type Playback = Readonly<{
  id: string;
  donationId: string;
  donatorName: string;
  amount: number;
  currency: Currency;
  message: string | null;
  source: string;
  speech: Readonly<{ id: string; mime: string; durationMs: number | null }> | null;
  replay: boolean;
}>;

export type PageSettings = Readonly<{
  /** 0 to 100. */
  volume: number;
  minimumSeconds: number;
  maximumSeconds: number;
  speech: boolean;
}>;

export type Total = Readonly<{ amount: number; count: number }>;
export type Goal = Readonly<{ title: string; target: number; current: number }>;
export type RecentDonation = Readonly<{
  donationId: string;
  donatorName: string;
  amount: number;
  currency: Currency;
  message: string | null;
  createdAt: string;
}>;
export type TopDonator = Readonly<{ rank: number; donatorName: string; amount: number; count: number }>;

export type Widgets = Readonly<{
  asOf: string;
  goal: Goal | null;
  totals: Readonly<{ today: Total; month: Total; all: Total }>;
  recent: readonly RecentDonation[];
  top: readonly TopDonator[];
}>;

type Role = "player" | "standby" | "listener";
type Current = Readonly<{ paused: boolean; settings: PageSettings }>;

/** An event's name and data. */
export type StreamEvent =
  | { event: "snapshot"; data: Current & Readonly<{ role: Role; playback: Playback | null; widgets: Widgets }> }
  | { event: "role"; data: Readonly<{ role: Role }> }
  | { event: "playback"; data: Playback }
  | { event: "stop"; data: Readonly<{ playbackId: string }> }
  | { event: "settings"; data: Current }
  | { event: "widgets"; data: Widgets };
