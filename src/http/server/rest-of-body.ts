// What happens to the rest of a body whose request has been answered before its end: many clients read the answer only when they have sent all.

import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";

type ReadConnection = {
  readonly last: Readonly<{ request: IncomingMessage }> | null;
  isRefused: boolean;
  overdueSince: number | null;
};

/** Reads and discards the rest. The connection is overdue until that has ended: its owner ends it after a moment, because the body may have no end. */
export function discardRest(connection: ReadConnection, request: IncomingMessage): void {
  const since = performance.now();
  connection.overdueSince = since;
  request.once("end", () => {
    if (connection.overdueSince === since) connection.overdueSince = null;
  });
  request.resume();
}

/**
 * Closes the connection after its last answer. node:http would close it at once: bytes that are not read would reset it, and a client that is
 * still sending would lose the answer (RFC 9112 9.6). So it only ends its own side, and the client's ends with the body.
 */
export function closeWhenRead(socket: Socket, connection: ReadConnection): void {
  const request = connection.last?.request;
  if (request === undefined || request.complete || socket.destroyed) return void closeSoon(socket);
  connection.isRefused = true; // nothing that follows is begun
  socket.end();
  request.once("end", () => closeSoon(socket));
}

/** Closes the connection as soon as its answers have gone out. */
export function closeSoon(socket: Socket): void {
  Socket.prototype.destroySoon.call(socket);
}
