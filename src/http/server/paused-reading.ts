// Pauses the reading of a connection, for one reason or for several. It is read again when none is left.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

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

/** Internal members of a socket of node:http. server.test.ts fails when they no longer exist. */
type HttpSocket = Socket & {
  _paused?: boolean;
  _handle?: { reading: boolean; readStart: () => void; readStop: () => void } | null;
  parser?: { incoming: IncomingMessage | null } | null;
};

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
export function startReading({ _handle: handle }: HttpSocket): void {
  if (!handle || handle.reading) return;
  handle.reading = true;
  handle.readStart();
}

/** Leaves what arrives in the system: a paused stream would still read as much as its buffer holds. */
export function stopReading({ _handle: handle }: HttpSocket): void {
  if (!handle?.reading) return;
  handle.reading = false;
  handle.readStop();
}
