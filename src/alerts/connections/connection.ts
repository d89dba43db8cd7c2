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
import { type KeySettings, sentWidgets } from "../widgets/widget-board.ts";

export type OverlayEvent = Schemas["OverlayEvent"];
type Role = Schemas["PlayerRole"];

export type StreamRequest = Readonly<{
  /** Id of the overlay key. */
  keyId: string;
  streamerId: string;
  playerId: string;
  plays: boolean;
  playing: string | null;
  isInObs: boolean;
  /** It is not hidden. */
  isActive: boolean;
}>;

/** What was sent on a connection last. */
type SentState = { role: Role; settings: string; playback: SentPlayback | null; widgets: Schemas["Widgets"] };
/** `round`: a new one means that the playback is played from the beginning. */
type SentPlayback = { id: string; round: string; isStarted: boolean };

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

/** What a page shows beside alerts: the figures of widgets, and what the streamer has chosen for the connection's key. */
type ShownWidgets = KeySettings & Readonly<{ widgets: Schemas["Widgets"] }>;

/** Brings a connection up to date. */
export function syncConnection(connection: Connection, view: QueueView, { widgets, widget, sound }: ShownWidgets): void {
  const { sent, send } = connection;
  const { paused, hidden, settings } = view.overlay;
  const current = { paused, hidden, settings: pageSettings(settings), widget, sound };
  const role = roleOf(connection, view);
  const playback = role === "listener" || isOrphan(view, sent) ? null : view.playback;
  const now: SentState = { role, settings: JSON.stringify(current), playback: playback && sentPlayback(playback), widgets };
  connection.sent = now;
  if (!sent) {
    send({
      event: "snapshot",
      data: { role, ...current, playback: playback && toPlayback(playback, view), widgets: sentWidgets(widgets, view.overlay) },
    });
    return;
  }
  // Sent after an acknowledged end as well: the playback may have been handed to this connection once more meanwhile.
  if (sent.playback && sent.playback.id !== playback?.id) send({ event: "stop", data: { playbackId: sent.playback.id } });
  if (sent.role !== role) send({ event: "role", data: { role } });
  if (sent.settings !== now.settings) send({ event: "settings", data: current });
  if (playback && isNews(sent, now)) send({ event: "playback", data: toPlayback(playback, view) });
  if (sent.widgets !== widgets) send({ event: "widgets", data: sentWidgets(widgets, view.overlay) });
}

function roleOf({ id, plays }: Connection, { playerConnectionId }: QueueView): Role {
  if (!plays) return "listener";
  return playerConnectionId === id ? "player" : "standby";
}

/** A playback whose player is gone goes on where it is followed already. Elsewhere it is reserved for its player. */
function isOrphan({ playerConnectionId, playback }: QueueView, sent: SentState | null): boolean {
  return playerConnectionId === null && sent?.playback?.id !== playback?.id;
}

function sentPlayback({ id, attempts, losses, startedAt }: StoredPlayback): SentPlayback {
  return { id, round: `${attempts} ${losses}`, isStarted: startedAt !== null };
}

/** A player begins each round; a page on standby is told as well that the player has begun. */
function isNews({ playback: before }: SentState, { role, playback: now }: SentState): boolean {
  if (before?.id !== now?.id || before?.round !== now?.round) return true;
  return role === "standby" && now?.isStarted === true && !before?.isStarted;
}

/** The playback that a page on standby shows; null: none. */
export function followedPlayback({ sent }: Connection): string | null {
  return sent?.role === "standby" && sent.playback?.isStarted ? sent.playback.id : null;
}

function toPlayback(playback: StoredPlayback, { overlay }: QueueView): Schemas["Playback"] {
  const { id, donationId, amount, currency, source, replay, faster, variation, startedAt } = playback;
  const { donatorName, message, masked } = shownTexts(playback, overlay.settings);
  const speech = isSpoken(overlay.settings, amount) ? playback.speech : null;
  const elapsedMs = startedAt === null ? null : Math.max(0, Math.round(overlay.now - startedAt));
  return { id, donationId, donatorName, amount, currency, message, source, speech, replay, faster, variation, masked, elapsedMs };
}
