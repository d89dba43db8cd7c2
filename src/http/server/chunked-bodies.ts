// Shares the time that chunked bodies take to be parsed. node:http hands over each chunk by itself, and reads a connection again and again
// while there is more: of one whose chunks are a byte each it would parse 350,000 in a turn of the event loop.

import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { pauseReading, resumeReading, stopReading } from "./paused-reading.ts";

/** Internal members of node:http. chunked-bodies.test.ts fails when they no longer exist. `3`: kOnBody, which is called with each chunk. */
type Parser = { 3: (this: Parser, bytes: Buffer) => void; socket: Socket; incoming: IncomingMessage | null };
type HttpSocket = Socket & { parser: Parser | null };

/** Of all connections. What has been read when it is reached is parsed: 64 KiB at most, which may be 10,900 chunks. */
const chunksPerTurn = 1_000;

export type ChunkedBodies = {
  /** Whether the request has a chunked body and should begin in a later turn of the event loop, because chunks have had their time in this one. */
  isLate: (request: IncomingMessage) => boolean;
};

export function watchChunkedBodies(server: Server): ChunkedBodies {
  /** Connections that are sending a chunked body; some of these have sent all of it. */
  const sending = new Set<Socket>();
  /** Those that are not read until their turn comes, one in each turn of the event loop. */
  const waiting = new Set<Socket>();
  let chunks = 0;
  let isCounting = false;

  const beginTurn = () => {
    if (!isCounting) setImmediate(endTurn);
    isCounting = true;
  };
  const endTurn = () => {
    isCounting = false;
    chunks = 0;
    const [next] = waiting;
    if (!next) return;
    waiting.delete(next);
    beginTurn();
    resumeReading(next, "chunks");
  };

  const hold = (socket: HttpSocket) => {
    sending.delete(socket);
    const request = socket.parser?.incoming;
    if (!request || request.complete || socket.destroyed) return;
    waiting.add(socket);
    keepFromReading(request, () => waiting.has(socket));
    pauseReading(socket, "chunks");
    stopReading(socket);
  };

  const count = (socket: Socket) => {
    beginTurn();
    chunks += 1;
    if (waiting.has(socket)) return;
    sending.add(socket);
    if (chunks >= chunksPerTurn) for (const one of sending) hold(one as HttpSocket);
  };

  const counted = new WeakSet<Parser>(); // node:http uses a parser for one connection after another
  server.on("connection", (socket: HttpSocket) => {
    socket.once("close", () => {
      sending.delete(socket);
      waiting.delete(socket);
    });
    const { parser } = socket;
    if (!parser || counted.has(parser)) return;
    counted.add(parser);
    const onBody = parser[3];
    parser[3] = function (bytes) {
      if (this.incoming && isChunked(this.incoming)) count(this.socket);
      onBody.call(this, bytes);
    };
  });

  return { isLate: (request) => chunks >= chunksPerTurn && isChunked(request) };
}

function isChunked({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined;
}

const kept = new WeakSet<IncomingMessage>();

/** A request whose body is read by somebody reads the connection again. */
function keepFromReading(request: IncomingMessage, isWaiting: () => boolean): void {
  if (kept.has(request)) return;
  kept.add(request);
  const read = request._read;
  request._read = (size) => {
    if (!isWaiting()) read.call(request, size);
  };
}
