// Finds connections whose client reads nothing. An export, for instance, would keep its database connection for as long as its client likes.

import type { Socket } from "node:net";

/** Internal members of a socket, which node:net itself uses for its time-outs. server.test.ts fails when they no longer exist. */
type Handle = Readonly<{ bytesWritten: number; writeQueueSize: number }>;

type Observation = { taken: number; since: number };

/**
 * The returned function tells whether a client has read none of the waiting bytes for `limitMs`. Call it regularly for every connection; `now`
 * is in milliseconds.
 */
export function stallWatch(limitMs: number): (socket: Socket, now: number) => boolean {
  const waiting = new WeakMap<Socket, Observation>();
  return (socket, now) => {
    if (socket.writableLength === 0) {
      waiting.delete(socket);
      return false;
    }
    const taken = bytesTaken(socket);
    const last = waiting.get(socket);
    if (last?.taken === taken) return now - last.since >= limitMs;
    waiting.set(socket, { taken, since: now });
    return false;
  };
}

/** Bytes that the system has accepted for sending. `socket.bytesWritten` alone counts a whole buffer, even when only a part was accepted. */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: Handle | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}
