// How connections share the time of parsing. Parsing stops at a request that may not begin yet, and goes on later. node:http itself begins every
// request of the 64 KiB that it reads at once, which may be 2,500, before it looks whether the answers are read, and those of every connection
// in the same turn of the event loop.

import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** Internal members of node:http and of its sockets. server.test.ts and parsing.test.ts fail when they no longer exist. */
type Parser = {
  /** Returns 0, or 2 for a request to upgrade that is accepted. The parser pauses when it returns `pause`. */
  onIncoming: (request: IncomingMessage, keepsAlive: boolean) => number;
  resume: () => void;
  execute: (bytes: Buffer) => unknown;
  /** kOnBody, which is called with each chunk. */
  3: (this: Parser, bytes: Buffer) => void;
  socket: Socket;
  incoming: IncomingMessage | null;
};
type HttpSocket = Socket & {
  parser?: Parser | null;
  _paused?: boolean;
  _handle?: { reading: boolean; readStart: () => void; readStop: () => void } | null;
};

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
    socket.on("resume", () => startWhenResumed(socket));
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

// Shares the time that chunked bodies take to be parsed. node:http hands over each chunk by itself, and reads a connection again and again
// while there is more: of one whose chunks are a byte each it would parse 350,000 in a turn of the event loop.

/** Of all connections. What has been read when it is reached is parsed: 64 KiB at most, which may be 10,900 chunks. */
const chunksPerTurn = 1_000;

type ChunkedBodies = {
  /** Whether the request has a chunked body and should begin in a later turn of the event loop, because chunks have had their time in this one. */
  isLate: (request: IncomingMessage) => boolean;
};

export function watchChunkedBodies(server: Server): ChunkedBodies {
  /** Connections that are sending a chunked body; some of these have sent all of it, and may be sending another body. */
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
    sending.add(next); // what it sends later may come in a turn that others have used up
    resumeReading(next, "chunks");
  };

  const hold = (socket: HttpSocket) => {
    sending.delete(socket);
    const request = socket.parser?.incoming;
    if (!request || request.complete || !isChunked(request) || socket.destroyed) return;
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

/** Starts a connection that was stopped while its stream awaited bytes: resumed, the stream awaits them still, and starts nothing. */
function startWhenResumed(socket: HttpSocket): void {
  if (!socket._paused && !reasonsOf.has(socket)) startReading(socket);
}

// Pauses the reading of a connection, for one reason or for several. It is read again when none is left.

/**
 * `refused`: a request was refused under overload. `unanswered`: too many of its requests wait for their answers. `chunks`: others have their
 * turn before more chunks of its body are parsed.
 */
type Reason = "refused" | "unanswered" | "chunks";

const reasonsOf = new WeakMap<Socket, Set<Reason>>();

export function pauseReading(socket: Socket, reason: Reason): void {
  const reasons = reasonsOf.get(socket) ?? new Set();
  reasonsOf.set(socket, reasons.add(reason));
  socket.pause();
}

export function resumeReading(socket: Socket, reason: Reason): void {
  const reasons = reasonsOf.get(socket);
  if (!reasons?.delete(reason) || reasons.size > 0) return;
  reasonsOf.delete(socket);
  if (!isBodyFull(socket)) resume(socket);
}

/** Whether the request whose body is arriving holds as much of it as it may: it reads the connection again when its body is read. */
function isBodyFull({ parser }: HttpSocket): boolean {
  const request = parser?.incoming;
  return Boolean(request) && !request?.complete && (request?.readableLength ?? 0) >= (request?.readableHighWaterMark ?? 0);
}

/** While node:http pauses a connection itself, because its answers are not read, it must not be read: an assertion of node:http would fail. */
export function resume(socket: HttpSocket): void {
  if (socket._paused) return;
  socket.resume();
  startReading(socket);
}

/** Ends what `stopReading` did. */
function startReading({ _handle: handle }: HttpSocket): void {
  if (!handle || handle.reading) return;
  handle.reading = true;
  handle.readStart();
}

/** Leaves what arrives in the system: a paused stream would still read as much as its buffer holds. */
function stopReading({ _handle: handle }: HttpSocket): void {
  if (!handle?.reading) return;
  handle.reading = false;
  handle.readStop();
}
