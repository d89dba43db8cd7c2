// Request bodies that never end, of a few bytes and of uploads: the server keeps few of them, and serves others meanwhile.

import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, type AttackedServer, byScale, logIn, type Scale } from "../attack.ts";
import { memoryOf, runBesideRegularClient } from "../other-clients.ts";
import {
  type Connection,
  closeAll,
  formatStatusCounts,
  openConnection,
  openConnections,
  readUntilClosed,
  runInTime,
  statusOf,
  waitUntilReleased,
} from "../sockets.ts";

// Requests whose body stops in the middle: the client keeps the connection open, half-closes or resets it.

const maxBodies = 64;

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
            const took = await waitUntilReleased(server, connections, maxBodies);
            const answers = formatStatusCounts(connections.map(({ text }) => statusOf(text())));
            return `${connections.length} connections: ${answers}; at most ${maxBodies} open after ${took}`;
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
            const took = await waitUntilReleased(server, connections, maxBodies);
            return `${connections.length} connections; at most ${maxBodies} open after ${took}`;
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

// Uploads of images and sounds: large bodies that must not be read for a stranger, nor kept while they never end.

const mebibyte = 1_048_576;
const maxUploads = 2;

const uploadHead = (path: string, length: number, lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, "Host: h", `Content-Length: ${length}`, ...lines, "", ""].join("\r\n");
const form = "Content-Type: multipart/form-data; boundary=x";
const file = (key: string): string[] => ["Content-Type: image/png", `Authorization: Bearer ${key}`];

/** Forms with files, by their paths. `most`: unfinished ones of an address. */
const studioForms = {
  "/studio/designer/upload": { name: "images", bytes: 9 * mebibyte, most: 2 },
  "/studio/import/check": { name: "files to import", bytes: 2 * mebibyte, most: 4 },
} as const;

export const uploads: readonly Attack[] = [
  {
    rule: "an upload of a stranger, from another origin or of too many bytes is answered before its body arrives, and its connection is closed",
    run: async (server) => {
      const { uploader, attacker } = server.keys;
      const heads: [status: number, bytes: string][] = [
        [303, uploadHead("/studio/designer/upload", 9 * mebibyte, [form])],
        [303, uploadHead("/studio/designer/upload", 9 * mebibyte, [form, `Cookie: namjai_session=${"x".repeat(43)}`])],
        [403, uploadHead("/studio/designer/upload", 9 * mebibyte, [form, "Origin: https://evil.example"])],
        [303, uploadHead("/studio/import/check", 2 * mebibyte, [form])],
        [401, uploadHead("/api/v1/alert-files?name=a", 9 * mebibyte, ["Content-Type: image/png"])],
        [403, uploadHead("/api/v1/alert-files?name=a", 9 * mebibyte, file(attacker))],
        [413, uploadHead("/api/v1/alert-files?name=a", 10 * mebibyte + 1, file(uploader))],
      ];
      const answers = await Promise.all(heads.map(async ([, bytes]) => statusOf(await readUntilClosed(server, bytes))));
      const expected = heads.map(([status]) => status);
      if (String(answers) !== String(expected)) throw new Error(`${answers} instead of ${expected}`);
      return formatStatusCounts(answers);
    },
  },
  {
    rule: "one credential keeps at most 2 unfinished uploads open, and other clients are served meanwhile",
    run: (server, scale) =>
      runBesideRegularClient(server, () => {
        const bytes = Buffer.concat([
          Buffer.from(uploadHead("/api/v1/alert-files?name=a", 10 * mebibyte, file(server.keys.uploader))),
          Buffer.alloc(byScale(scale, 1, 9) * mebibyte),
        ]);
        return keepOpen(server, bytes, maxUploads);
      }),
  },
  ...Object.entries(studioForms).map(([path, { name, bytes, most }]) => ({
    rule: `one address keeps at most ${most} unfinished uploads of ${name} to the studio open, and other clients are served meanwhile`,
    run: async (server: AttackedServer, scale: Scale) => {
      const cookie = await logIn(server);
      const lines = [form, `Cookie: ${cookie}`, `Origin: ${server.url}`];
      const part = Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n');
      // The headers of the part do not end.
      const request = Buffer.concat([
        Buffer.from(uploadHead(path, bytes, lines)),
        part,
        Buffer.alloc(byScale(scale, 1, bytes / mebibyte - 1) * mebibyte, "a: b\r\n"),
      ]);
      return runBesideRegularClient(server, () => keepOpen(server, request, most));
    },
  })),
];

/** Opens connections with unfinished requests, of which the server leaves this many. */
function keepOpen(server: AttackedServer, request: Uint8Array, most: number): Promise<string> {
  return runInTime(server, {
    count: 120,
    one: () => openConnection(server, request),
    settle: async (connections) => {
      const before = await memoryOf(server);
      const took = await waitUntilReleased(server, connections, most);
      const answers = formatStatusCounts(connections.map(({ text }) => statusOf(text())));
      const memory = `${Math.round(before ?? 0)} to ${Math.round((await memoryOf(server)) ?? 0)} MB`;
      return `${connections.length} connections: ${answers}; at most ${most} open after ${took}; the server has ${memory}`;
    },
  });
}
