// Requests whose client half-closes or resets the connection before the end of the body.

import { setTimeout as sleep } from "node:timers/promises";

import { type Attack, byScale } from "../attack.ts";
import { runInTime } from "../body-time-limit.ts";
import { runBesideRegularClient } from "../regular-client.ts";
import { openConnection, openConnections, waitUntilReleased } from "../sockets.ts";

const head = (path: string, key: string | null) =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}Content-Length: 100\r\n\r\n`;

/** Paths, each with whether the attacker sends a credential. */
const targets: [string, boolean][] = [
  ["/mcp", true],
  ["/oauth/token", false],
  ["/api/v1/donations", true],
];

export const truncatedBodies: readonly Attack[] = [
  ...targets.map(
    ([path, withKey]): Attack => ({
      rule: `a connection to ${path} whose body ends after two of 100 bytes is closed before the time limit of a body is over, and other clients are served meanwhile`,
      run: (server, scale) =>
        runBesideRegularClient(server, () => {
          const bytes = `${head(path, withKey ? server.keys.attacker : null)}{"`;
          return runInTime(server, {
            count: byScale(scale, 520, 5_000),
            one: () => openConnection(server, bytes, { halfClose: true }),
            settle: async (connections) =>
              `${connections.length} connections, released after ${await waitUntilReleased(server, connections)}`,
          });
        }),
    }),
  ),
  {
    rule: "a request body that is aborted by a TCP reset leaves no connection open on the server",
    run: (server, scale) =>
      runBesideRegularClient(server, async () => {
        const bytes = `${head("/api/v1/donations", server.keys.regularClient)}{"`;
        const connections = await openConnections(byScale(scale, 20, 200), () => openConnection(server, bytes));
        await sleep(100);
        for (const { socket } of connections) socket.resetAndDestroy();
        return `${connections.length} connections, released after ${await waitUntilReleased(server, connections)}`;
      }),
  },
];
