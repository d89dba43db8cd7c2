// The messages between pages and their coordinator. Pages of an older version may share a worker with newer ones until all are
// reloaded, so members are added, never changed or removed.

import type { PageSettings, Playback, WidgetSettings, Widgets } from "./api.ts";

export type PageKind = "overlay" | "widget";

export type Hello = Readonly<{
  type: "hello";
  /** The overlay key. */
  key: string;
  /** The API's address, with a slash at its end. */
  api: string;
  kind: PageKind;
  /** The player id that this page has stored. */
  player: string;
  /** The playback on this page, if its last coordinator died while it played; else null. */
  playing: Readonly<{ playback: Playback; started: boolean }> | null;
  /** Ids of ended playbacks whose end the server has not yet acknowledged. */
  ended: readonly string[];
}>;

export type FromPage =
  | Hello
  | Readonly<{ type: "pong" }>
  | Readonly<{ type: "bye" }>
  | Readonly<{ type: "started"; playbackId: string }>
  | Readonly<{ type: "ended"; playbackId: string }>;

/** `refused`: the overlay key is invalid or was revoked, and there is no further attempt. */
export type Status = "connecting" | "live" | "refused";

export type ToPage =
  | Readonly<{ type: "ping" }>
  /** The player id that all pages of this browser use. */
  | Readonly<{ type: "welcome"; player: string }>
  /** This page did not answer pings and was removed: it says hello again, with the playback that it plays. */
  | Readonly<{ type: "lost" }>
  | Readonly<{ type: "status"; status: Status }>
  /** `hidden`: show and play nothing. `widget`: what the streamer has chosen for the widget of this overlay key; null: nothing. */
  | Readonly<{ type: "settings"; paused: boolean; hidden: boolean; settings: PageSettings; widget: WidgetSettings | null }>
  | Readonly<{ type: "widgets"; widgets: Widgets }>
  /** Play this playback from the beginning. */
  | Readonly<{ type: "play"; playback: Playback }>
  | Readonly<{ type: "stop"; playbackId: string }>
  /** The server has answered the acknowledgement of this playback's end. */
  | Readonly<{ type: "settled"; playbackId: string }>;
