// Tells what a server closes at once from what it closes when its time limit for request bodies is over, on a machine of any speed.

import type { AttackedServer } from "./attack.ts";
import { type Connection, closeAll, openConnection, openConnections } from "./sockets.ts";

export type TimedConnections = {
  connections: Connection[];
  /** Closes all connections. Throws when the server's time limit for bodies has closed some of them until now. */
  closeInTime: () => void;
};

/** Connections that are opened after the one with the stalled body, which has to outlast them. */
const lastConnections = 100;

/**
 * Opens `count` connections of an attack, and before the last of them a request of the regular client whose body stalls. When the server has
 * closed that one, its time limit may have closed those of the attack as well, whatever else it does about them.
 */
export async function openTimed(server: AttackedServer, count: number, one: () => Promise<Connection>): Promise<TimedConnections> {
  const first = await openConnections(count - lastConnections, one);
  const stalled = await openConnection(server, unfinished(server.keys.regularClient));
  let isClosed = false;
  void stalled.closed.then(() => void (isClosed = true));
  const connections = [...first, ...(await openConnections(lastConnections, one))];
  const closeInTime = (): void => {
    const isLate = isClosed;
    closeAll([...connections, stalled]);
    if (isLate) throw new Error("the server's time limit for bodies is over, and only that may have closed the connections");
  };
  return { connections, closeInTime };
}

const unfinished = (key: string): string =>
  `POST /api/v1/donations HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\nContent-Length: 100\r\n\r\n{"`;
