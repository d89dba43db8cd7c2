// One connection of an overlay page: server-sent events (HTML Living Standard, 9.2) on a stream with a bounded buffer.

import { Readable } from "node:stream";
import { jsonLine } from "../../base/text.ts";
import { newId } from "../../db/ids.ts";
import type { Schemas } from "../../http/operations.ts";
import { Problem } from "../../http/problem.ts";

export type OverlayEvent = Schemas["OverlayEvent"];
export type Role = Schemas["PlayerRole"];

export type StreamRequest = Readonly<{
  /** Id of the overlay key. */
  keyId: string;
  streamerId: string;
  playerId: string;
  plays: boolean;
  playing: string | null;
}>;

/** What was sent on a connection last. */
export type SentState = { role: Role; settings: string; playback: { id: string; key: string } | null; widgets: Schemas["Widgets"] };

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
