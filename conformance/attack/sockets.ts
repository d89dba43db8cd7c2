// Connections as an attacker has them: exact bytes, half-closed, left open, not read from.

import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import type { Arena } from "./arena.ts";

export type Line = {
  socket: Socket;
  /** Its own port, by which the server's end of it is known. */
  port: number;
  /** What has come so far, a character for each byte. */
  text: () => string;
  /** Resolves when the server has closed it, or it was lost. */
  closed: Promise<void>;
};

export type Opening = Readonly<{
  /** Half-closes it behind the bytes. */
  fin?: boolean;
  /** Never reads. */
  stalled?: boolean;
}>;

/** Connects and sends the bytes. */
export function open(
  arena: Pick<Arena, "port">,
  bytes: string | Uint8Array,
  { fin = false, stalled = false }: Opening = {},
): Promise<Line> {
  const socket = connect({ port: arena.port, host: "127.0.0.1", allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve) => void socket.once("end", resolve).once("close", () => resolve()));
  if (stalled) socket.pause();
  else socket.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    socket.on("error", reject).once("connect", () => {
      if (fin) socket.end(bytes);
      else socket.write(bytes);
      resolve({ socket, port: socket.localPort ?? 0, text: () => Buffer.concat(chunks).toString("latin1"), closed });
    });
  });
}

/** Opens many, some at a time. */
export async function openMany(count: number, one: (index: number) => Promise<Line>): Promise<Line[]> {
  const lines: Line[] = [];
  for (let first = 0; first < count; first += atOnce)
    lines.push(...(await Promise.all(Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => one(first + index)))));
  return lines;
}

const atOnce = 100;

/** Sends the bytes, and waits for the server to close; what came. Throws when it does not. */
export async function converse(arena: Pick<Arena, "port">, bytes: string | Uint8Array, opening: Opening = {}): Promise<string> {
  const line = await open(arena, bytes, opening);
  const late = await Promise.race([line.closed, sleep(longestMs, "late", { ref: false })]);
  line.socket.destroy();
  if (late) throw new Error(`the connection stays open; so far came ${JSON.stringify(line.text().slice(0, 200))}`);
  return line.text();
}

const longestMs = 5_000;

export function closeAll(lines: readonly Line[]): void {
  for (const { socket } of lines) socket.destroy();
}

/** How many of these connections the server still holds a descriptor of; null where there is no /proc. */
export async function heldByServer({ port }: Pick<Arena, "port">, lines: readonly Line[]): Promise<number | null> {
  const table = await readFile("/proc/net/tcp", "utf8").catch(() => null);
  if (table === null) return null;
  const ports = new Set(lines.map((line) => line.port));
  return table.split("\n").filter((row) => {
    const [, local = "", remote = "", state = ""] = row.trim().split(/\s+/);
    return portOf(local) === port && ports.has(portOf(remote)) && held.has(state);
  }).length;
}

const portOf = (address: string): number => Number.parseInt(address.split(":")[1] ?? "", 16);

/** ESTABLISHED and CLOSE_WAIT: those that wait for the program, not for the network. */
const held = new Set(["01", "08"]);

/** Waits until the server holds no more than `most` of them; the seconds it took. Throws after `ms`. */
export async function released(arena: Pick<Arena, "port">, lines: readonly Line[], ms: number, most = 0): Promise<string> {
  const began = performance.now();
  for (;;) {
    const left = await heldByServer(arena, lines);
    if ((left ?? 0) <= most) return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    if (performance.now() - began > ms) throw new Error(`${left} of ${lines.length} connections are still open after ${ms / 1_000} s`);
    await sleep(100);
  }
}

/** Status of the first answer in what came; 0: none. */
export const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);

/** How often each status came: `401 × 20, 429 × 5`. */
export function tally(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${status || "no answer"} × ${count}`).join(", ");
}
