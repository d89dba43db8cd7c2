// Lets the answers of endpoints in piece by piece: their parser works through all that has arrived, and an answer of nothing but tiny headers,
// or of informational answers, takes it half a microsecond for each byte.

import type { Readable } from "node:stream";

/** Of all endpoints together, in a turn of the event loop. */
const bytesInTurn = 16_384;
/** Of one endpoint, before another one has its turn. */
const pieceBytes = 4_096;

/** Sockets with bytes for which this turn had no room. */
const waiting = new Set<Readable>();
let left = bytesInTurn;
let isTurnCounted = false;

/** `count` is called with the length of each piece. Must be called before anyone reads the socket, who listens for `readable` and calls `read()`. */
export function paceReads(socket: Readable, count: (bytes: number) => void): void {
  const read = socket.read.bind(socket);
  let hasPiece = false;
  socket.read = (size?: number): Buffer | null => {
    if (size !== undefined || socket.readableLength === 0) return read(size); // as Node's streams call it
    if (socket.destroyed) return null;
    countTurn();
    hasPiece = !hasPiece && left > 0;
    if (!hasPiece) {
      waiting.add(socket);
      return null;
    }
    const bytes = Math.min(pieceBytes, left, socket.readableLength);
    left -= bytes;
    count(bytes);
    return socket.destroyed ? null : read(bytes);
  };
}

function countTurn(): void {
  if (isTurnCounted) return;
  isTurnCounted = true;
  setImmediate(beginTurn);
}

/** A socket that has more than a piece is behind all others. */
function beginTurn(): void {
  [left, isTurnCounted] = [bytesInTurn, false];
  for (const socket of waiting) {
    if (left === 0) break;
    waiting.delete(socket);
    if (!socket.destroyed) socket.emit("readable");
  }
  if (waiting.size > 0) countTurn();
}
