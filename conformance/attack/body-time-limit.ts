// Tells what a server closes at once from what it closes when its time limit for request bodies is over, on a machine of any speed.

import type { AttackedServer } from "./attack.ts";
import { type Connection, closeAll, openConnection, openConnections } from "./sockets.ts";

type Trial<Result> = Readonly<{
  /** Connections of the first trial. */
  count: number;
  one: () => Promise<Connection>;
  /** Waits until the server has closed what it has to. */
  settle: (connections: readonly Connection[]) => Promise<Result>;
}>;

/** Connections that are opened after the one with the stalled body, which has to outlast them. */
const lastConnections = 100;
const leastConnections = 120;
const trials = 3;

/**
 * Opens `count` connections of an attack, waits for `settle`, and closes them. On a busy machine that may take longer than the server's time
 * limit for bodies, which then may have closed them, whatever else the server does: it is tried again with half as many, and throws when
 * the last trial is too late as well.
 */
export async function runInTime<Result>(server: AttackedServer, { count, one, settle }: Trial<Result>): Promise<Result> {
  for (let trial = 0; trial < trials; trial += 1) {
    const { connections, closeInTime } = await openTimed(server, Math.max(leastConnections, Math.floor(count / 2 ** trial)), one);
    const result = await settle(connections);
    if (closeInTime()) return result;
  }
  throw new Error("the server's time limit for bodies is over, and only that may have closed the connections");
}

/** Before the last connections a request of the regular client is opened whose body stalls, and which only the time limit closes. */
async function openTimed(server: AttackedServer, count: number, one: () => Promise<Connection>) {
  const first = await openConnections(count - lastConnections, one);
  const stalled = await openConnection(server, unfinished(server.keys.regularClient));
  let isClosed = false;
  void stalled.closed.then(() => void (isClosed = true));
  const connections = [...first, ...(await openConnections(lastConnections, one))];
  const closeInTime = (): boolean => {
    const isInTime = !isClosed;
    closeAll([...connections, stalled]);
    return isInTime;
  };
  return { connections, closeInTime };
}

const unfinished = (key: string): string =>
  `POST /api/v1/donations HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\nContent-Length: 100\r\n\r\n{"`;
