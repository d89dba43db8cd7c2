// Bounds the memory that answers take which their clients have not read: of all connections together.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getHeapStatistics } from "node:v8";

const mebibyte = 1_048_576;

/** An eighth of the heap, because text waits there. */
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
