// TCP connections with the behaviour of an attacker: exact bytes, half-closed, left open, never read from.

import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { AttackedServer } from "./attack.ts";

export type Connection = {
  socket: Socket;
  /** Local port; it identifies the connection in the server's socket table. */
  port: number;
  /** Everything received until now, one character per byte. */
  text: () => string;
  /** Resolves with the first bytes of the answer. */
  answering: Promise<void>;
  /** Resolves when the server has closed the connection, or the connection broke. */
  closed: Promise<void>;
};

type ConnectionOptions = Readonly<{
  /** Sends FIN after the bytes. */
  halfClose?: boolean;
  /** Never reads the answer. */
  neverReads?: boolean;
  /** Reads the first bytes of the answer and no more. */
  stopsReading?: boolean;
}>;

/** Only a server that hangs reaches it: how long a wait for a state lasts, whatever the machine is busy with. */
export const longestWaitMs = 180_000;

/** Opens a connection and sends the bytes. */
export function openConnection(
  server: Pick<AttackedServer, "port">,
  bytes: string | Uint8Array,
  { halfClose = false, neverReads = false, stopsReading = false }: ConnectionOptions = {},
): Promise<Connection> {
  const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve) => void socket.once("end", resolve).once("close", () => resolve()));
  const answering = new Promise<void>((resolve) => void socket.once("data", () => resolve()));
  if (stopsReading) void answering.then(() => socket.pause());
  if (neverReads) socket.pause();
  else socket.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    socket.on("error", reject).once("connect", () => {
      if (halfClose) socket.end(bytes);
      else socket.write(bytes);
      resolve({ socket, port: socket.localPort ?? 0, text: () => Buffer.concat(chunks).toString("latin1"), answering, closed });
    });
  });
}

/** Opens `count` connections, `concurrency` of them at a time. */
export async function openConnections(count: number, one: (index: number) => Promise<Connection>): Promise<Connection[]> {
  const connections: Connection[] = [];
  for (let first = 0; first < count; first += concurrency)
    connections.push(
      ...(await Promise.all(Array.from({ length: Math.min(concurrency, count - first) }, (_, index) => one(first + index)))),
    );
  return connections;
}

const concurrency = 100;

/** Sends the bytes and returns everything received until the server closes. Throws when it does not close. */
export async function readUntilClosed(
  server: Pick<AttackedServer, "port">,
  bytes: string | Uint8Array,
  options: ConnectionOptions = {},
): Promise<string> {
  const connection = await openConnection(server, bytes, options);
  const timedOut = await Promise.race([connection.closed, sleep(longestWaitMs, "timed out", { ref: false })]);
  connection.socket.destroy();
  if (timedOut) throw new Error(`the connection stays open; received so far: ${JSON.stringify(connection.text().slice(0, 200))}`);
  return connection.text();
}

export function closeAll(connections: readonly Connection[]): void {
  for (const { socket } of connections) socket.destroy();
}

/** Counts the connections whose socket the server still has open; null on systems without /proc. */
async function countOpenAtServer({ port }: Pick<AttackedServer, "port">, connections: readonly Connection[]): Promise<number | null> {
  const table = await readFile("/proc/net/tcp", "utf8").catch(() => null);
  if (table === null) return null;
  const ports = new Set(connections.map((connection) => connection.port));
  return table.split("\n").filter((row) => {
    const [, local = "", remote = "", state = ""] = row.trim().split(/\s+/);
    return portOf(local) === port && ports.has(portOf(remote)) && openStates.has(state);
  }).length;
}

const portOf = (address: string): number => Number.parseInt(address.split(":")[1] ?? "", 16);

/** States ESTABLISHED and CLOSE_WAIT: the program has not closed the socket yet. */
const openStates = new Set(["01", "08"]);

/** Waits until the server has at most `maxOpen` of the connections open. Returns how long that took; throws when it keeps more. */
export async function waitUntilReleased(
  server: Pick<AttackedServer, "port">,
  connections: readonly Connection[],
  maxOpen = 0,
): Promise<string> {
  const began = performance.now();
  for (;;) {
    const open = await countOpenAtServer(server, connections);
    if ((open ?? 0) <= maxOpen) return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    if (performance.now() - began > longestWaitMs)
      throw new Error(`${open} of ${connections.length} connections are still open after ${longestWaitMs / 1_000} s`);
    await sleep(100);
  }
}

/** Status of the first HTTP answer in the text; 0 when there is none. */
export const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);

/** Counts how often each status occurs, for messages: `401 × 20, 429 × 5`. */
export function formatStatusCounts(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${status || "no answer"} × ${count}`).join(", ");
}

// Tells what a server closes at once from what it closes when its time limit for request bodies is over, on a machine of any speed.

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
