// One connection of an overlay page: server-sent events (HTML Living Standard, 9.2) on a stream with a bounded buffer.

import { Readable } from "node:stream";
import { uuidv7 } from "uuidv7";
import type { Schemas } from "../http/operations.ts";

export type OverlayEvent = Schemas["OverlayEvent"];
export type Role = Schemas["PlayerRole"];

export type Visitor = Readonly<{
  /** Of the overlay key. */
  keyId: string;
  streamerId: string;
  playerId: string;
  plays: boolean;
  playing: string | null;
}>;

/** What the other side was told last. */
export type Told = { role: Role; settings: string; playback: { id: string; key: string } | null; widgets: Schemas["Widgets"] };

export type Connection = Visitor & {
  readonly id: string;
  readonly stream: Readable;
  /** What its snapshot needs is read: the next step may count on it. */
  ready: boolean;
  /** It can play, and the queue knows that it is here. */
  joined: boolean;
  /** A step was taken since it was ready. */
  heard: boolean;
  /** Null before the snapshot. */
  told: Told | null;
  send: (event: OverlayEvent) => void;
  beat: () => void;
  /** Ends it, what was sent included. */
  end: () => void;
  /** Ends it at once. */
  cut: () => void;
};

/** A reader that leaves this many bytes unread is too slow: it gets a snapshot when it comes back. */
export const mostUnread = 256 * 1024;

/** `onClose` is called once, whichever side ends it. */
export function openConnection(visitor: Visitor, onClose: (connection: Connection) => void): Connection {
  const stream = new Readable({
    read() {},
    destroy(error, done) {
      onClose(connection);
      done(error);
    },
  });
  let over = false;
  const write = (text: string) => {
    if (over || stream.destroyed) return;
    stream.push(text);
    if (stream.readableLength > mostUnread) stream.destroy();
  };
  const connection: Connection = {
    ...visitor,
    id: uuidv7(),
    stream,
    ready: false,
    joined: false,
    heard: false,
    told: null,
    send: ({ event, data }) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    beat: () => write(":\n\n"),
    end: () => {
      if (!over && !stream.destroyed) stream.push(null);
      over = true;
    },
    cut: () => void stream.destroy(),
  };
  return connection;
}
