// Requests whose body stops in the middle while the client keeps the connection open.

import { type Attack, byScale } from "../attack.ts";
import { runInTime } from "../body-time-limit.ts";
import { runBesideRegularClient } from "../regular-client.ts";
import { closeAll, formatStatusCounts, openConnection, openConnections, statusOf, waitUntilReleased } from "../sockets.ts";

const maxPerSender = 64;

const bytes = (path: string, key: string | null) =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}Content-Length: 100\r\n\r\n{"`;

export const stalledBodies: readonly Attack[] = [
  {
    rule: "one credential keeps at most 64 unfinished request bodies open, and other clients are served meanwhile",
    run: (server, scale) =>
      runBesideRegularClient(server, () =>
        runInTime(server, {
          count: byScale(scale, 600, 5_000),
          one: () => openConnection(server, bytes("/mcp", server.keys.largeHistory)),
          settle: async (connections) => {
            const took = await waitUntilReleased(server, connections, maxPerSender);
            const answers = formatStatusCounts(connections.map(({ text }) => statusOf(text())));
            return `${connections.length} connections: ${answers}; at most ${maxPerSender} open after ${took}`;
          },
        }),
      ),
  },
  {
    rule: "one address without a credential keeps at most 64 unfinished request bodies open, and other clients are served meanwhile",
    run: (server, scale) =>
      runBesideRegularClient(server, () =>
        runInTime(server, {
          count: byScale(scale, 600, 5_000),
          one: () => openConnection(server, bytes("/oauth/token", null)),
          settle: async (connections) => {
            const took = await waitUntilReleased(server, connections, maxPerSender);
            return `${connections.length} connections; at most ${maxPerSender} open after ${took}`;
          },
        }),
      ),
  },
  {
    rule: "a request whose body takes longer than 30 seconds is answered 408, and its connection is closed",
    fullScaleOnly: "it takes 30 seconds",
    run: async (server) => {
      const connections = await openConnections(10, () => openConnection(server, bytes("/api/v1/donations", server.keys.regularClient)));
      const opened = performance.now();
      await Promise.race(connections.map(({ closed }) => closed));
      const seconds = (performance.now() - opened) / 1_000;
      const took = await waitUntilReleased(server, connections);
      const answers = formatStatusCounts(connections.map(({ text }) => statusOf(text())));
      closeAll(connections);
      if (answers !== `408 × ${connections.length}`) throw new Error(answers);
      if (seconds < 28) throw new Error(`the first was answered after ${seconds.toFixed(1)} s`);
      return `${answers}, the first after ${seconds.toFixed(1)} s, all closed after ${took} more`;
    },
  },
];
