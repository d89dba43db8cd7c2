// The messages between pages and their coordinator. Pages of an older version may share a worker with newer ones until all are
// reloaded, so members are added, never changed or removed.

import type { OverlaySound, PageSettings, Playback, WidgetSettings, Widgets } from "./api.ts";

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
  /** Where the page is open. */
  client?: "obs" | "browser";
  /** False while the page is hidden. */
  active?: boolean;
  /** The playback on this page, if its last coordinator died while it played; else null. `leads`: its start and end are acknowledged. */
  playing: Readonly<{ playback: Playback; started: boolean; leads?: boolean; elapsedMs?: number }> | null;
  /** Ids of ended playbacks whose end the server has not yet acknowledged. */
  ended: readonly string[];
}>;

export type FromPage =
  | Hello
  | Readonly<{ type: "pong" }>
  | Readonly<{ type: "bye" }>
  | Readonly<{ type: "started"; playbackId: string }>
  | Readonly<{ type: "ended"; playbackId: string }>
  /** A page that follows has shown the playback to its end. */
  | Readonly<{ type: "finished"; playbackId: string }>
  | Readonly<{ type: "activity"; active: boolean }>;

/** `refused`: the overlay key is invalid or was revoked, and there is no further attempt. */
export type Status = "connecting" | "live" | "refused";

export type ToPage =
  | Readonly<{ type: "ping" }>
  /** The player id that all pages of this browser use. */
  | Readonly<{ type: "welcome"; player: string }>
  /** This page did not answer pings and was removed: it says hello again, with the playback that it plays. */
  | Readonly<{ type: "lost" }>
  | Readonly<{ type: "status"; status: Status }>
  /** Whether this browser leads, or another one. */
  | Readonly<{ type: "role"; leads: boolean }>
  /** `hidden`: show and play nothing. `widget`: what the streamer has chosen for the widget of this overlay key; null: nothing. */
  | Readonly<{
      type: "settings";
      paused: boolean;
      hidden: boolean;
      settings: PageSettings;
      widget: WidgetSettings | null;
      sound: OverlaySound;
    }>
  | Readonly<{ type: "widgets"; widgets: Widgets }>
  /** Fetch the files of this playback: another browser is about to play it. */
  | Readonly<{ type: "load"; playback: Playback }>
  /** Play this playback. `elapsedMs`: from there on. `leads`: report its start and its end. */
  | Readonly<{ type: "play"; playback: Playback; leads: boolean; elapsedMs: number }>
  /** The page that led is gone: report the end of this playback, which this page shows. */
  | Readonly<{ type: "lead"; playbackId: string }>
  | Readonly<{ type: "stop"; playbackId: string }>
  /** The server has answered the acknowledgement of this playback's end. */
  | Readonly<{ type: "settled"; playbackId: string }>;
