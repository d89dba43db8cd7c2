// One connection of an overlay page: server-sent events (HTML Living Standard, 9.2) on a stream with a bounded buffer, and what is new for it.

import { Readable } from "node:stream";
import { jsonLine } from "../../base/text.ts";
import { newId } from "../../db/ids.ts";
import type { Schemas } from "../../http/operations.ts";
import { Problem } from "../../http/problem.ts";
import { shownTexts } from "../queue/filter.ts";
import type { StoredPlayback } from "../queue/playbacks.ts";
import type { QueueView } from "../queue/step.ts";
import { isSpoken, pageSettings } from "../settings/settings.ts";

export type OverlayEvent = Schemas["OverlayEvent"];
type Role = Schemas["PlayerRole"];

export type StreamRequest = Readonly<{
  /** Id of the overlay key. */
  keyId: string;
  streamerId: string;
  playerId: string;
  plays: boolean;
  playing: string | null;
}>;

/** What was sent on a connection last. */
type SentState = { role: Role; settings: string; playback: { id: string; key: string } | null; widgets: Schemas["Widgets"] };

export type Connection = StreamRequest & {
  readonly id: string;
  readonly stream: Readable;
  /** The widgets for its snapshot are read: the next step takes it into account. */
  isReady: boolean;
  /** It can play, and a step has taken it into account: it may hold the lease. */
  hasJoined: boolean;
  /** The channel's view of the queue is from a step that took it into account. */
  isInView: boolean;
  /** Null before the snapshot. */
  sent: SentState | null;
  send: (event: OverlayEvent) => void;
  sendHeartbeat: () => void;
  /** Ends the stream after everything that was sent. */
  end: () => void;
  /** Ends the stream at once. `refusal`: what the client is answered if its stream has not begun. */
  abort: (refusal?: Problem) => void;
  /** What the client is answered when the stream was ended before it began. */
  refusal: Problem | null;
};

/** A client that leaves more bytes unread is disconnected: it gets a snapshot when it connects again. */
export const maxUnreadBytes = 256 * 1024;

/** `onClose` is called once, whichever side ends the connection. */
export function openConnection(request: StreamRequest, onClose: (connection: Connection) => void): Connection {
  const stream = new Readable({
    read() {},
    destroy(error, done) {
      onClose(connection);
      done(error);
    },
  });
  let isEnded = false;
  const write = (text: string) => {
    if (isEnded || stream.destroyed) return;
    stream.push(text);
    if (stream.readableLength > maxUnreadBytes) stream.destroy();
  };
  const connection: Connection = {
    ...request,
    id: newId(),
    stream,
    isReady: false,
    hasJoined: false,
    isInView: false,
    sent: null,
    send: ({ event, data }) => write(`event: ${event}\ndata: ${jsonLine(data)}\n\n`),
    sendHeartbeat: () => write(":\n\n"),
    end: () => {
      if (!isEnded && !stream.destroyed) stream.push(null);
      isEnded = true;
    },
    abort: (refusal) => {
      connection.refusal ??= refusal ?? null;
      stream.destroy();
    },
    refusal: null,
  };
  return connection;
}

/** What a client is answered whose stream was ended before it began; `refusal`: that of its connection. */
export function closedEarly(refusal: Problem | null): Problem {
  return refusal ?? new Problem("unavailable", "The stream was closed before it began.");
}

/** What widgets show: their figures, and the settings of the widget of the connection's key. */
type ShownWidgets = Readonly<{ widgets: Schemas["Widgets"]; widget: Schemas["WidgetSettings"] | null }>;

/** Brings a connection up to date. */
export function syncConnection(connection: Connection, view: QueueView, { widgets, widget }: ShownWidgets): void {
  const { sent, send } = connection;
  const { paused, hidden, settings } = view.overlay;
  const current = { paused, hidden, settings: pageSettings(settings), widget };
  const role = roleOf(connection, view);
  const playback = role === "player" ? view.playback : null;
  const now: SentState = {
    role,
    settings: JSON.stringify(current),
    playback: playback && { id: playback.id, key: handoutKey(playback) },
    widgets,
  };
  connection.sent = now;
  if (!sent) {
    send({ event: "snapshot", data: { role, ...current, playback: playback && toPlayback(playback, view), widgets } });
    return;
  }
  // Sent after an acknowledged end as well: the playback may have been handed to this connection once more meanwhile.
  if (sent.playback && sent.playback.id !== playback?.id) send({ event: "stop", data: { playbackId: sent.playback.id } });
  if (sent.role !== role) send({ event: "role", data: { role } });
  if (sent.settings !== now.settings) send({ event: "settings", data: current });
  if (playback && sent.playback?.key !== now.playback?.key) send({ event: "playback", data: toPlayback(playback, view) });
  if (sent.widgets !== widgets) send({ event: "widgets", data: widgets });
}

function roleOf({ id, plays }: Connection, { playerConnectionId }: QueueView): Role {
  if (!plays) return "listener";
  return playerConnectionId === id ? "player" : "standby";
}

/** A new key means that the playback must be played from the beginning. */
function handoutKey({ id, attempts, losses }: StoredPlayback): string {
  return `${id} ${attempts} ${losses}`;
}

function toPlayback(playback: StoredPlayback, { overlay }: QueueView): Schemas["Playback"] {
  const { id, donationId, amount, currency, source, replay, faster, variation } = playback;
  const { donatorName, message, masked } = shownTexts(playback, overlay.settings);
  const speech = isSpoken(overlay.settings, amount) ? playback.speech : null;
  return { id, donationId, donatorName, amount, currency, message, source, speech, replay, faster, variation, masked };
}
