// Answers that go on: exports and files whose client does not read them, streams and WebSockets of events.

import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { runBesideRegularClient, withoutWaits } from "../other-clients.ts";
import { type Connection, closeAll, openConnection, openConnections, waitUntilReleased } from "../sockets.ts";

// Clients that request large answers and never read them.

const get = (path: string, key: string | null) => `GET ${path} HTTP/1.1\r\nHost: h\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}\r\n`;

async function exportStatus({ url }: AttackedServer, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/donations/export?to=2000-01-01`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

const attempts = 5;

/**
 * Exports whose clients have stopped reading, after another export of the same streamer was refused. On a busy machine the server may have
 * refused them, as unavailable, or have cut them before the other export began: then new ones are opened.
 */
async function stallExports(server: AttackedServer, attempt = 1): Promise<Connection[]> {
  const connections = await openConnections(2, () =>
    openConnection(server, get("/api/v1/donations/export", server.keys.largeHistory), { stopsReading: true }),
  );
  await Promise.all(connections.map(({ answering, closed }) => Promise.race([answering, closed])));
  const own = await exportStatus(server, server.keys.largeHistory);
  if (own === 429) return connections;
  closeAll(connections);
  if (attempt < attempts) return stallExports(server, attempt + 1);
  throw new Error(`a second export of the same streamer was answered ${own}, ${attempts} times`);
}

export const stalledReaders: readonly Attack[] = [
  {
    rule: "an export that its client does not read is cut after ten seconds, and does not keep other streamers from exporting",
    run: (server) =>
      runBesideRegularClient(server, async () => {
        const connections = await stallExports(server);
        const others = await exportStatus(server, server.keys.regularClient);
        if (others !== 200) throw new Error(`another streamer's export was answered ${others}`);
        const took = await waitUntilReleased(server, connections);
        const again = await exportStatus(server, server.keys.largeHistory);
        closeAll(connections);
        if (again !== 200) throw new Error(`afterwards the streamer's export was answered ${again}`);
        return `${connections.length} connections, cut after ${took} more`;
      }),
  },
  {
    rule: "a file whose client does not read it is cut after ten seconds",
    run: (server, scale) =>
      runBesideRegularClient(server, async () => {
        const path = await largestFile(server);
        const connections = await openConnections(byScale(scale, 20, 1_000), () =>
          openConnection(server, get(path, null).repeat(4), { neverReads: true }),
        );
        // A thousand connections fill the operating system's socket memory. Each one that is cut frees memory for the others,
        // whose ten seconds then begin again.
        const took = await waitUntilReleased(server, connections);
        closeAll(connections);
        return `${connections.length} connections for ${path}, cut after ${took}`;
      }),
  },
];

/** The path of the API reference's largest script: three megabytes, more than a socket buffer holds when requested four times. */
async function largestFile({ url }: AttackedServer): Promise<string> {
  const page = await (await fetch(`${url}/docs/reference`)).text();
  const scripts = [...page.matchAll(/src="([^"]+\.js)"/g)].map(([, path = ""]) => new URL(path, `${url}/docs/reference`).pathname);
  const sizes = await Promise.all(scripts.map(async (path) => (await (await fetch(url + path)).arrayBuffer()).byteLength));
  const largest = Math.max(...sizes);
  if (largest < 1_000_000) throw new Error(`no large file at /docs/reference: ${scripts.join(" ")}`);
  return scripts[sizes.indexOf(largest)] as string;
}

// Connections for events that take or send much at once: streams that read a long log, and frames of WebSockets that nobody needs.

const api = "/api/v1/events";

async function startOfLog({ url, keys }: AttackedServer): Promise<string> {
  const answer = await fetch(`${url}${api}?limit=1`, { headers: { Authorization: `Bearer ${keys.largeHistory}` } });
  const { pagination } = (await answer.json()) as { pagination?: { nextCursor: string } };
  if (!pagination) throw new Error(`${api} was answered ${answer.status}`);
  return pagination.nextCursor;
}

/** Resolves when so many bytes have arrived on the connection, or the server has closed it. */
function received({ socket, closed }: Connection, bytes: number): Promise<void> {
  const enough = new Promise<void>((resolve) => {
    socket.on("error", () => resolve()).on("data", () => socket.bytesRead >= bytes && resolve());
  });
  return Promise.race([enough, closed]);
}

/** Many streams of one streamer, all from the start of a log of 150,000 donations. */
async function readLog(server: AttackedServer, bytes: number): Promise<void> {
  const head = `GET ${api}/stream?after=${await startOfLog(server)} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${server.keys.largeHistory}\r\n\r\n`;
  const connections = await openConnections(90, () => openConnection(server, head)); // three attempts are within the burst of the rate limit
  await Promise.all(connections.map((one) => received(one, bytes)));
  const refused = connections.find(({ text }) => !text().startsWith("HTTP/1.1 200"));
  closeAll(connections);
  if (refused) throw new Error(`a stream was answered ${refused.text().slice(0, 100)}`);
}

const upgrade = [
  ...[`GET ${api}/socket HTTP/1.1`, "Host: h", "Connection: Upgrade", "Upgrade: websocket"],
  ...["Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}`, "", ""],
].join("\r\n");

/** Frames without content, masked with zeros (RFC 6455 5.2). */
const frames = {
  messages: [0x81, 0x80, 0, 0, 0, 0],
  pings: [0x89, 0x80, 0, 0, 0, 0],
  "fragments of a message": [0x00, 0x80, 0, 0, 0, 0],
} as const;

/** Connections without a credential, each of which sends the bytes at once, reads nothing, and is closed by the server. */
async function sendFrames(server: AttackedServer, frame: readonly number[], bytes: number): Promise<void> {
  const flood = Buffer.alloc(bytes, Buffer.from(frame));
  const connections = await openConnections(50, () => openConnection(server, upgrade));
  await Promise.all(connections.map(({ answering, closed }) => Promise.race([answering, closed])));
  const beginning = frame[0] === 0 ? Buffer.from([0x01, 0x80, 0, 0, 0, 0]) : Buffer.alloc(0);
  for (const { socket } of connections) socket.on("error", () => {}).write(Buffer.concat([beginning, flood]));
  await Promise.all(connections.map(({ closed }) => closed));
  closeAll(connections);
}

export const eventFloods: readonly Attack[] = [
  withoutWaits("nobody waits for the streams of events that read a long log from its start", (server, _salt, scale) =>
    readLog(server, byScale(scale, 200_000, 2_000_000)),
  ),
  ...Object.entries(frames).map(([kind, frame]) =>
    withoutWaits(`nobody waits for the ${kind} without content that WebSockets send at once`, (server, _salt, scale) =>
      sendFrames(server, frame, byScale(scale, 60_000, 600_000)),
    ),
  ),
];
