// Stops parsing a connection at a request that may not begin yet, and goes on later. node:http itself begins every request of the 64 KiB
// that it reads at once, which may be 2,500, before it looks whether the answers are read, and those of every connection in the same turn of
// the event loop.

import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { ChunkedBodies } from "./chunked-bodies.ts";
import { pauseReading, resumeReading, startReading, stopReading } from "./paused-reading.ts";

/** Internal members of node:http. server.test.ts fails when they no longer exist. */
type Parser = {
  /** Returns 0, or 2 for a request to upgrade that is accepted. The parser pauses when it returns `pause`. */
  onIncoming: (request: IncomingMessage, keepsAlive: boolean) => number;
  resume: () => void;
  execute: (bytes: Buffer) => unknown;
};
type HttpSocket = Socket & { parser: Parser | null };

/** Not empty by itself: the parser would take that for the end of the connection. */
const nothing = Buffer.alloc(1).subarray(0, 0);

const upgrades = 2;
/** HPE_PAUSED of llhttp. */
const pause = 21;

/** The `clientError` of a parser that has paused. */
export type ParserPause = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

export type PipelinedRequests = {
  /** Keeps what has arrived behind the request that may not begin. Returns false when this is another error. */
  keepRest: (socket: Socket, error: ParserPause) => boolean;
  /** Begins requests of the connection that wait and now may begin, and reads on when none waits any more: soon, in its turn. */
  goOn: (socket: Socket) => void;
  /** Whether a request of the connection waits. */
  isWaiting: (socket: Socket) => boolean;
};

/** `isHeld`: whether the parser is paused. `isStopped`: whether it has yet to report how far it came. */
type Waiting = { begins: (() => number)[]; isHeld: boolean; isStopped: boolean };

/** Whether the connection may begin a request: `in turn` behind others of it that are unanswered, `later` when these are too many. */
export type MayBegin = (socket: Socket) => "now" | "in turn" | "later";

/** Requests that begin behind unanswered ones in a turn of the event loop, of all connections. */
const perTurn = 16;

export function watchPipelined(server: Server, mayBegin: MayBegin, { isLate }: ChunkedBodies): PipelinedRequests {
  const waitingOf = new WeakMap<Socket, Waiting>();

  let places = perTurn;
  const takePlace = () => {
    if (places === perTurn) setImmediate(() => (places = perTurn));
    places -= 1;
    return places >= 0;
  };

  server.on("connection", (socket: HttpSocket) => {
    const { parser } = socket;
    if (!parser) return;
    const begin = parser.onIncoming;
    const waiting: Waiting = { begins: [], isHeld: false, isStopped: false };
    waitingOf.set(socket, waiting);
    parser.onIncoming = (request, keepsAlive) => {
      const when = mayBegin(socket);
      const isFull = when === "later";
      if (!waiting.isHeld && !isFull && !isLate(request) && (when === "now" || takePlace())) return begin(request, keepsAlive);
      waiting.begins.push(() => begin(request, keepsAlive));
      waiting.isHeld = true;
      waiting.isStopped = true;
      if (!isFull) waitForTurn(socket);
      return pause;
    };
  });

  /** Connections whose requests may go on. One has its turn in each turn of the event loop: others must not wait for what it has sent. */
  const turns = new Set<Socket>();
  const takeTurn = () => {
    for (const socket of turns) {
      turns.delete(socket);
      if (turns.size > 0) setImmediate(takeTurn);
      return goOn(socket);
    }
  };

  const waitForTurn = (socket: Socket) => {
    if (turns.size === 0) setImmediate(takeTurn);
    turns.add(socket);
  };

  const goOn = (socket: Socket): void => {
    const waiting = waitingOf.get(socket);
    if (!waiting?.isHeld) return;
    while (waiting.begins.length > 0) {
      if (mayBegin(socket) === "later") return;
      // A client waits for the answers before it upgrades the connection (RFC 6455 4.1), and the parser has gone past this request.
      if (waiting.begins.shift()?.() === upgrades) return void socket.destroy();
    }
    waiting.isHeld = false;
    const { parser } = socket as HttpSocket;
    parser?.resume();
    parser?.execute(nothing); // a request without a body ends here, also when nothing comes after it
    resumeReading(socket, "unanswered");
    startReading(socket); // also while node:http pauses the connection: it resumes the stream only
  };

  return {
    keepRest: (socket, { code, rawPacket, bytesParsed = 0 }) => {
      if (code !== "HPE_PAUSED") return false;
      const waiting = waitingOf.get(socket);
      // A parser that was paused before has parsed nothing, whatever it says.
      const rest = rawPacket?.subarray(waiting?.isStopped ? bytesParsed : 0);
      if (waiting?.isHeld) {
        waiting.isStopped = false;
        pauseReading(socket, "unanswered");
      } else socket.pause();
      // From now on node:http reads through the stream, to which bytes can be given back.
      socket.on("data", ignore).off("data", ignore);
      stopReading(socket);
      if (rest && rest.length > 0) socket.unshift(rest);
      return true;
    },
    goOn: (socket) => {
      if (waitingOf.get(socket)?.isHeld) waitForTurn(socket);
    },
    isWaiting: (socket) => waitingOf.get(socket)?.isHeld === true,
  };
}

function ignore(): void {}
