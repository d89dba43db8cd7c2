// Connections for events that take or send much at once: streams that read a long log, and frames of WebSockets that nobody needs.

import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { withoutWaits } from "../longest-wait.ts";
import { type Connection, closeAll, openConnection, openConnections } from "../sockets.ts";

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
