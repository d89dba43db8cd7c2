// Requests to hosts that an untrusted party chose: their answers take turns, whatever they are made of. undici is a third of the cost of
// node:http, whose parser cannot be held back.

import type { Readable } from "node:stream";
import type { Client } from "undici";
import { ciphersWithoutDhe, lookup, type Resolve } from "./addresses.ts";

/** The connection goes to an address that `resolve` returned. */
export type PacedHost = Readonly<{ url: URL; resolve: Resolve; connectMs: number; maxHeaderBytes: number }>;

const keepMs = 60_000;

/** Of all hosts together, in a turn of the event loop. */
const bytesInTurn = 16_384;
/** Of one host, before another one has its turn. */
const pieceBytes = 4_096;

/** Sockets with bytes for which this turn had no room. */
const waiting = new Set<Readable>();
let left = bytesInTurn;
let isTurnCounted = false;

/**
 * A client with one connection at a time, and without time-outs but that of the connection. `count` is called with the length of each piece
 * that has arrived. Loads undici with the first client: it is an eighth of what a server loads, and many processes never need it.
 */
export async function openPacedClient(
  { url, resolve, connectMs, maxHeaderBytes }: PacedHost,
  count: (bytes: number) => void,
): Promise<Client> {
  const { Client, buildConnector } = await import("undici");
  const connect = buildConnector({ lookup: lookup(resolve), timeout: connectMs, ciphers: ciphersWithoutDhe });
  return new Client(url.origin, {
    connect: (options, callback) =>
      connect(options, (...result) => {
        if (result[1]) paceReads(result[1], count);
        callback(...result);
      }),
    keepAliveTimeout: keepMs,
    keepAliveMaxTimeout: keepMs,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/**
 * Lets the answers of hosts in piece by piece: their parser works through all that has arrived, and an answer of nothing but tiny headers, or
 * of informational answers, takes it half a microsecond for each byte. `count` is called with the length of each piece. Must be called
 * before anyone reads the socket, who listens for `readable` and calls `read()`.
 */
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
