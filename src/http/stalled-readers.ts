// Readers that take nothing: what they asked for, such as an export and its database connection, would be kept for as long as they like.

import type { Socket } from "node:net";

/** As node:net itself looks at it when a socket's time-out has come. `stalled.test.ts` notices when it is no longer there. */
type Handle = Readonly<{ bytesWritten: number; writeQueueSize: number }>;

type Seen = { taken: number; since: number };

/**
 * Says whether bytes have waited for a connection's other side for `limitMs` of which it has taken none. Ask about all of them
 * again and again; `now` in milliseconds.
 */
export function stallWatch(limitMs: number): (socket: Socket, now: number) => boolean {
  const waiting = new WeakMap<Socket, Seen>();
  return (socket, now) => {
    if (socket.writableLength === 0) {
      waiting.delete(socket);
      return false;
    }
    const taken = bytesTaken(socket);
    const seen = waiting.get(socket);
    if (seen?.taken === taken) return now - seen.since >= limitMs;
    waiting.set(socket, { taken, since: now });
    return false;
  };
}

/** Bytes that the system took for sending. `socket.bytesWritten` alone counts a buffer as a whole, though it goes in pieces. */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: Handle | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}
