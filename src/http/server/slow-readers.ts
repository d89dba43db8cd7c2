// Finds connections whose clients do not read their answers. An export, for instance, would keep its database connection for as long as its
// client likes, and unread answers take memory.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getHeapStatistics } from "node:v8";

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

const mebibyte = 1_048_576;

/** Bytes of answers that clients have not read, of all connections together. An eighth of the heap, because text waits there. */
export const maxUnsentBytes = Math.min(Math.max(getHeapStatistics().heap_size_limit / 8, 32 * mebibyte), 256 * mebibyte);

/** What a request and its answer take, besides the bytes of the answer. */
const bytesPerExchange = 8_192;

type Connections = Iterable<readonly [Socket, Readonly<{ underWay: ReadonlySet<Readonly<{ response: ServerResponse }>> }>]>;

/** The connections to close: those with the most unsent bytes, until the others have no more than three quarters of `max`. */
export function mostUnsent(connections: Connections, max: number): Socket[] {
  const held: { socket: Socket; bytes: number }[] = [];
  let sum = 0;
  for (const [socket, { underWay }] of connections) {
    if (underWay.size === 0) continue;
    let bytes = (underWay.size - 1) * bytesPerExchange + socket.readableLength;
    for (const { response } of underWay) bytes += response.writableLength;
    if (bytes > 0) held.push({ socket, bytes });
    sum += bytes;
  }
  if (sum <= max) return [];
  held.sort((one, other) => one.bytes - other.bytes);
  const closed: Socket[] = [];
  while (sum > max * 0.75) {
    const most = held.pop();
    if (!most) break;
    sum -= most.bytes;
    closed.push(most.socket);
  }
  return closed;
}
