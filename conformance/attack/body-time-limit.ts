// Tells what a server closes at once from what it closes when its time limit for request bodies is over, on a machine of any speed.

import type { AttackedServer } from "./attack.ts";
import { closeAll, openConnection } from "./sockets.ts";

/**
 * Runs the attack beside a request of the regular client whose body stalls and which was sent first. Throws when the server has closed that
 * one in the meantime: by then its time limit has closed the connections of the attack as well, whatever else it does about them.
 */
export async function beforeBodyTimeLimit(server: AttackedServer, attack: () => Promise<string>): Promise<string> {
  const stalled = await openConnection(server, unfinished(server.keys.regularClient));
  let isClosed = false;
  void stalled.closed.then(() => void (isClosed = true));
  try {
    const summary = await attack();
    if (isClosed) throw new Error(`only the server's time limit for bodies closed the connections: ${summary}`);
    return summary;
  } finally {
    closeAll([stalled]);
  }
}

const unfinished = (key: string): string =>
  `POST /api/v1/donations HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\nContent-Length: 100\r\n\r\n{"`;
