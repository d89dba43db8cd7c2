// Brokers for tests: a temporary Redis, and a relay that interrupts the connection to a broker.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { createClient } from "@redis/client";
import { freePort, until } from "../db/testing.ts";

export type TemporaryRedis = { url: string; stop: () => Promise<void> };

/** A redis-server on a free port, without persistence. Throws if the program is not installed. */
export async function temporaryRedis(): Promise<TemporaryRedis> {
  const port = await freePort();
  const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const server = spawn("redis-server", options, { stdio: "ignore" });
  await once(server, "spawn").catch(() => {
    throw new Error("not run: there is no redis-server. Install it (apt-get install redis-server)");
  });
  const url = `redis://127.0.0.1:${port}`;
  await until(() => isReachable(url));
  return { url, stop: () => stop(server) };
}

/** Runs a command on a separate connection. */
export async function redisCommand(url: string, ...command: string[]): Promise<unknown> {
  const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: false } });
  client.on("error", () => {});
  await client.connect();
  return client.sendCommand(command).finally(() => client.destroy());
}

export type Relay = { port: number; cut: () => Promise<void>; mend: () => Promise<void> };

/** Forwards connections to a broker, except while it is cut. */
export async function openRelay(url: string): Promise<Relay> {
  const { hostname, port: targetPort } = new URL(url);
  const sockets = new Set<Socket>();
  const server: Server = createServer((from) => {
    const to = connect({ host: hostname, port: Number(targetPort) });
    sockets.add(from);
    pipeline(from, to, from, () => sockets.delete(from));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const cut = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const mend = async () => {
    await once(server.listen(port, "127.0.0.1"), "listening");
  };
  return { port, cut, mend };
}

async function isReachable(url: string): Promise<boolean> {
  return (await redisCommand(url, "PING")) === "PONG";
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  await ended;
}
