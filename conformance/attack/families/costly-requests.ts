// Requests that cost the server much together: those of many connections at once, and hundreds on one connection. Nobody else waits for
// them.

import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { attempts, computedMs, memoryOf, withoutWaits } from "../other-clients.ts";
import { type Connection, closeAll, openConnection, openConnections, readUntilClosed } from "../sockets.ts";

// Requests whose parsing, judging or answering takes long together: others have their turn in between.

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

// Connections that send hundreds of requests at once: they read nothing of the answers, or all of them in the end.

type Keys = AttackedServer["keys"];

const get = (path: string, lines = "") => `GET ${path} HTTP/1.1\r\nHost:\r\n${lines}\r\n`;
const withKey = (key: string) => `Authorization: Bearer ${key}\r\n`;
const post = (path: string, type: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost:\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const form = "application/x-www-form-urlencoded";

/** A request of each kind. */
const kinds: Record<string, (keys: Keys) => string> = {
  "the login page": () => get("/oauth/login"),
  "pages for a browser": () => get("/docs/search?q=donation", "Accept: text/html\r\n"),
  "a path that is unknown": () => get("/nothing"),
  "files of the documentation": () => get("/docs/quickstart"),
  "heads of a page": () => get("/oauth/login").replace("GET", "HEAD"),
  "the login form": () => post("/oauth/login", form, "a=b"),
  "the token endpoint": () => post("/oauth/token", form, "grant_type=refresh_token"),
  "an operation without a credential": () => get("/api/v1/me"),
  "preflights of an operation": () => get("/api/v1/donations").replace("GET", "OPTIONS"),
  "lists of donations": ({ largeHistory }) => get("/api/v1/donations?limit=100", withKey(largeHistory)),
  "bodies that no operation takes": () => post("/api/v1/donations", "application/json", "[]"),
  "requests that wait for 100 Continue": () => post("/oauth/token", form, "a=b").replace("Host:", "Expect: 100-continue\r\nHost:"),
  "upgrades to another protocol": () => get("/oauth/login", "Connection: Upgrade\r\nUpgrade: other\r\n"),
};

/** About what a server reads at once. */
const sentBytes = 63_000;
/** Others may wait for so long while the server computes. */
const maxWaitMs = 4_000;

/** How long another client waits while the server computes, in milliseconds: on a busy machine it waits for a processor as well. */
async function waitOf({ url, keys, pid }: AttackedServer): Promise<number> {
  const [began, computed] = [performance.now(), await computedMs(pid)];
  const answer = await fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${keys.regularClient}` } });
  await answer.text();
  return Math.min(performance.now() - began, (await computedMs(pid)) - computed);
}

type Cost = Readonly<{ megabytes: number; waitMs: number }>;
type Bounds = Readonly<{ maxMegabytes: number; usualMs: number }>;

/** What the connections cost at most until `isOver`: the memory that the server grows by, and the longest wait of another client. */
async function costOf(server: AttackedServer, isOver: () => boolean): Promise<Cost> {
  const before = (await memoryOf(server)) ?? 0;
  let [megabytes, waitMs] = [0, 0];
  const repeat = async (look: () => Promise<void>): Promise<void> => {
    do await look();
    while (!isOver() && (await sleep(20, true)));
  };
  await Promise.all([
    repeat(async () => void (megabytes = Math.max(megabytes, ((await memoryOf(server)) ?? 0) - before))),
    repeat(async () => void (waitMs = Math.max(waitMs, await waitOf(server)))),
  ]);
  return { megabytes, waitMs };
}

/** The longest of a few waits without an attack: on a busy machine everything takes longer. */
async function usualWait(server: AttackedServer): Promise<number> {
  let longest = 0;
  for (let times = 0; times < 5; times += 1) longest = Math.max(longest, await waitOf(server));
  return longest;
}

const describe = ({ megabytes, waitMs }: Cost, { usualMs }: Bounds): string =>
  `the server grew by ${Math.round(megabytes)} MB, others waited ${Math.round(waitMs)} ms while the server computed (${Math.round(usualMs)} before)`;

/** Throws when the memory grows too far, or when others wait too long in each attempt. */
async function attack(server: AttackedServer, count: number, one: () => Promise<Connection>): Promise<string> {
  const shown: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const bounds: Bounds = { maxMegabytes: 50 + 5 * count, usualMs: await usualWait(server) };
    const ends = performance.now() + 1_000;
    const connecting = openConnections(count, one);
    const cost = await costOf(server, () => performance.now() > ends);
    closeAll(await connecting);
    shown.push(describe(cost, bounds));
    if (cost.megabytes > bounds.maxMegabytes) break;
    if (cost.waitMs <= maxWaitMs + 10 * bounds.usualMs) return `${count} connections: ${shown.join("; ")}`;
  }
  throw new Error(`${count} connections: ${shown.join("; ")}`);
}

const unread = Object.entries(kinds).map(
  ([kind, request]): Attack => ({
    rule: `connections that pipeline ${kind} and read nothing cost others neither memory nor time`,
    run: (server, scale) => {
      const bytes = request(server.keys);
      const all = bytes.repeat(Math.floor(sentBytes / bytes.length));
      return attack(server, byScale(scale, 10, 60), () => openConnection(server, all, { neverReads: true }));
    },
  }),
);

/** Requests whose answers are told apart by their ids. */
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const request = index % 3 === 0 ? get("/nothing") : index % 3 === 1 ? get("/api/v1/me") : post("/oauth/token", form, "a=b");
    return request.replace("Host:", `X-Request-Id: n${index}\r\nHost:`);
  }).join("");

export const pipelinedRequests: readonly Attack[] = [
  ...unread,
  {
    rule: "a connection that pipelines requests of several kinds, and reads when it has sent all of them, gets every answer in its turn",
    run: async (server, scale) => {
      const count = byScale(scale, 200, 1_000);
      const connection = await openConnection(server, numbered(count), { neverReads: true });
      await sleep(200);
      let text = "";
      connection.socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1"))).resume();
      const last = performance.now() + 120_000;
      while (!text.includes(`X-Request-Id: n${count - 1}\r\n`)) {
        if (performance.now() > last) throw new Error(`only ${[...text.matchAll(/^HTTP/gm)].length} of ${count} answers came`);
        await sleep(20);
      }
      connection.socket.destroy();
      const ids = [...text.matchAll(/^x-request-id: n(\d+)\r$/gim)].map(([, id]) => Number(id));
      if (ids.length !== count || ids.some((id, index) => id !== index))
        throw new Error(`the answers came in the order ${ids.slice(0, 50)}`);
      return `${count} answers in their turn`;
    },
  },
  {
    rule: "connections that pipeline the login page and read all of it cost others neither memory nor time",
    run: (server, scale) =>
      attack(server, byScale(scale, 10, 60), () => openConnection(server, get("/oauth/login").repeat(byScale(scale, 400, 1_650)))),
  },
  {
    rule: "a WebSocket that is asked for behind unanswered requests is refused after the answers to these",
    run: (server) => expectStatuses(server, get("/oauth/login").repeat(3) + webSocket(), "200,200,200,400"),
  },
  {
    rule: "a WebSocket that is asked for with a body is refused, and no byte of the body is a frame or a request (RFC 9110 7.8)",
    run: (server) => expectStatuses(server, webSocket("Content-Length: 30\r\n") + get("/oauth/login"), "400"),
  },
  {
    rule: "requests behind one that is malformed are discarded, and cost others neither memory nor time",
    run: (server, scale) => {
      const refused = get("/nothing").replace("Host:", "Host: a\r\nHost: b");
      const flood = refused + get("/oauth/login").repeat(100_000);
      return attack(server, byScale(scale, 10, 60), () => openConnection(server, flood, { neverReads: true }));
    },
  },
];

const webSocket = (framing = ""): string =>
  get(
    "/api/v1/events/socket",
    `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${framing}`,
  ).replace("Host:", "Host: h");

async function expectStatuses(server: AttackedServer, requests: string, expected: string): Promise<string> {
  const text = await readUntilClosed(server, requests);
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status).join();
  if (statuses !== expected) throw new Error(`answered ${statuses}`);
  return `answered ${statuses}`;
}
