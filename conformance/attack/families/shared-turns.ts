// Requests whose parsing, judging or answering takes long together: others have their turn in between.

import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { withoutWaits } from "../longest-wait.ts";
import { closeAll, openConnection, openConnections } from "../sockets.ts";

/** Sends the bytes on each of the connections, and waits until all are answered or refused. */
async function sendAtOnce(server: AttackedServer, count: number, bytes: string, answers: number): Promise<void> {
  const connections = await openConnections(count, () => openConnection(server, bytes));
  try {
    const finished = connections.map(async ({ socket, text, closed }) => {
      const isAnswered = () => [...text().matchAll(/HTTP\/1\.1 \d{3} \w/g)].length >= answers;
      const answered = new Promise<void>((resolve) => socket.on("data", () => isAnswered() && resolve()));
      socket.on("error", () => {}); // a refused connection may be reset
      await Promise.race([answered, closed]);
    });
    await Promise.all(finished);
  } finally {
    closeAll(connections);
  }
}

const chunked = (path: string, chunks: number) =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\na\r\n".repeat(chunks)}0\r\n\r\n`;

const tools = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const listTools = (key: string) =>
  `POST /mcp HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${tools.length}\r\n\r\n${tools}`;

export const sharedTurns: readonly Attack[] = [
  ...["/oauth/token", "/nothing"].map((path) =>
    withoutWaits(`nobody waits for bodies of chunks of a byte each that many connections send to ${path}`, (server, _salt, scale) =>
      sendAtOnce(server, byScale(scale, 16, 64), chunked(path, byScale(scale, 5_000, 20_000)), 1),
    ),
  ),
  withoutWaits("nobody waits for the searches of the documentation that many connections pipeline", (server, _salt, scale) => {
    const pipelined = byScale(scale, 5, 20);
    return sendAtOnce(server, 50, "GET /docs/search?q=donation HTTP/1.1\r\nHost: h\r\n\r\n".repeat(pipelined), pipelined);
  }),
  withoutWaits("nobody waits for requests for unknown pages whose Accept is as long as a header may be", (server) =>
    sendAtOnce(server, 10, `GET /nothing HTTP/1.1\r\nHost: h\r\nAccept: "${",".repeat(15_800)}\r\n\r\n`.repeat(16), 16),
  ),
  withoutWaits("nobody waits for requests for unknown pages of thousands of folders", (server) =>
    sendAtOnce(server, 50, `GET /${"a/".repeat(7_500)} HTTP/1.1\r\nHost: h\r\n\r\n`, 1),
  ),
  // Three attempts are within the burst of the rate limit.
  withoutWaits("nobody waits for the lists of tools that one assistant asks for at once", (server) =>
    sendAtOnce(server, 90, listTools(server.keys.uploader), 1),
  ),
];

const minServed = 20;

export const slowLines: readonly Attack[] = [
  {
    rule: "while lines that are no JSON are imported, other requests are served between them",
    run: async (server, scale) => {
      const lines = byScale(scale, 40_000, 90_000); // within the burst of the rate limit
      let isOver = false;
      const sent = importLines(server, "x\n".repeat(lines)).finally(() => void (isOver = true));
      let served = 0;
      while (!isOver) {
        await (await fetch(`${server.url}/livez`)).arrayBuffer();
        served += 1;
      }
      const answered = await sent;
      if (answered !== lines) throw new Error(`${answered} of ${lines} lines were answered`);
      if (served < minServed) throw new Error(`${served} requests were served while ${lines} lines were imported`);
      return `${served} requests served while ${lines} lines were imported`;
    },
  },
];

/** Resolves to the number of lines of the answer. */
async function importLines({ url, keys }: AttackedServer, body: string): Promise<number> {
  const headers = { Authorization: `Bearer ${keys.uploader}`, "Content-Type": "application/x-ndjson" };
  const answer = await fetch(`${url}/api/v1/donations/batch`, { method: "POST", headers, body });
  let count = 0;
  for await (const chunk of answer.body ?? []) for (const byte of chunk) if (byte === 0x0a) count += 1;
  return count;
}
