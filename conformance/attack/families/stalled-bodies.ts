// Requests whose body stops in the middle: the client keeps the connection open, half-closes or resets it.

import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { memoryOf } from "../longest-wait.ts";
import { runBesideRegularClient } from "../regular-client.ts";
import {
  type Connection,
  closeAll,
  formatStatusCounts,
  openConnection,
  openConnections,
  runInTime,
  statusOf,
  waitUntilReleased,
} from "../sockets.ts";

const maxPerSender = 64;

const bytes = (path: string, key: string | null) =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}Content-Length: 100\r\n\r\n{"`;

const chunkCount = 65_000;
/** A body whose chunks are a byte each. */
const tinyChunks = `POST /oauth/token HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\n \r\n".repeat(chunkCount)}0\r\n\r\n`;

/** In MB: what the server grows by at most until it has answered all of the bodies. */
async function growth(server: AttackedServer, connections: readonly Connection[], before: number): Promise<number> {
  let most = 0;
  let isAnswered = false;
  const answered = Promise.all(connections.map(({ answering }) => answering)).then(() => void (isAnswered = true));
  do most = Math.max(most, ((await memoryOf(server)) ?? 0) - before);
  while (!isAnswered && (await sleep(20, true)));
  await answered;
  return Math.round(most);
}

export const stalledBodies: readonly Attack[] = [
  {
    rule: "bodies whose chunks are a byte each take little more memory than their bytes",
    run: async (server, scale) => {
      const count = byScale(scale, 20, 60);
      const before = (await memoryOf(server)) ?? 0;
      const connections = await openConnections(count, () => openConnection(server, tinyChunks));
      const megabytes = await growth(server, connections, before);
      closeAll(connections);
      const shown = `${count} bodies: the server grew by ${megabytes} MB`;
      if (megabytes > 100 + 2 * count) throw new Error(shown); // a list of chunks takes 16 MB for each body
      return shown;
    },
  },
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
