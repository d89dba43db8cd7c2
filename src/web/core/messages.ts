// What pages and their station say to each other.
// Pages of an older version may share a worker with newer ones until all are reloaded: members are added, never changed or removed.

import type { PageSettings, Playback, Widgets } from "./events.ts";

export type PageKind = "overlay" | "widget";

export type Hello = Readonly<{
  type: "hello";
  /** The overlay key. */
  key: string;
  /** Address of the API, with a slash at its end. */
  api: string;
  kind: PageKind;
  /** The browser's player id, as far as this page knows it. */
  player: string;
  /** What this page is showing: not null when its last station died under it. */
  playing: Readonly<{ playback: Playback; started: boolean }> | null;
  /** Ids of playbacks that this page has ended, and whose end is not known to be settled. */
  ended: readonly string[];
}>;

export type FromPage =
  | Hello
  | Readonly<{ type: "pong" }>
  | Readonly<{ type: "bye" }>
  | Readonly<{ type: "started"; playbackId: string }>
  | Readonly<{ type: "ended"; playbackId: string }>;

/** `refused`: the overlay key is not good (any more), and nothing is tried again. */
export type Status = "connecting" | "live" | "refused";

export type ToPage =
  | Readonly<{ type: "ping" }>
  /** The player id that all pages of this browser use. */
  | Readonly<{ type: "welcome"; player: string }>
  /** This page did not answer and counts no more: say hello again, and what plays. */
  | Readonly<{ type: "lost" }>
  | Readonly<{ type: "status"; status: Status }>
  | Readonly<{ type: "settings"; paused: boolean; settings: PageSettings }>
  | Readonly<{ type: "widgets"; widgets: Widgets }>
  /** Play this from the beginning. */
  | Readonly<{ type: "play"; playback: Playback }>
  | Readonly<{ type: "stop"; playbackId: string }>
  /** The server knows that this has ended. */
  | Readonly<{ type: "settled"; playbackId: string }>;
