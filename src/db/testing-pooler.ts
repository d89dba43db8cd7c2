// Debian's PgBouncer in front of a temporary server, for tests.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, removeDataDir, temporaryDirectory } from "./testing.ts";

export type PoolMode = "transaction" | "session" | "statement";
export type TemporaryPooler = { url(databaseUrl: string): string; stop(): Promise<void> };

const program = "pgbouncer";

/** In CI a missing PgBouncer is a failure; elsewhere its tests are not run, and say so in their title. */
export const hasPooler = process.env.CI !== undefined || spawnSync(program, ["--version"]).status === 0;
export const whyNotPooled = hasPooler ? "" : "not run, because there is no pgbouncer (apt-get install pgbouncer): ";

/** Starts a pooler for all databases of the server at `serverUrl`, with `servers` server connections for each. */
export async function temporaryPooler(serverUrl: string, mode: PoolMode = "transaction", servers = 4): Promise<TemporaryPooler> {
  const { hostname, port, username, password } = new URL(serverUrl);
  const [directory, own] = [await temporaryDirectory(), await freePort()];
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${own}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    `default_pool_size = ${servers}`,
    "server_login_retry = 1",
  ];
  const file = join(directory, "pgbouncer.ini");
  await writeFile(file, lines.join("\n"), { mode: 0o644 });
  const user = process.getuid?.() === 0 ? ["-u", "postgres"] : []; // it refuses to run as root
  const child = spawn(program, ["-q", ...user, file], { stdio: "ignore" });
  await untilListening(own, child);
  return {
    url: (databaseUrl) => Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${own}`, search: "" }).href,
    stop: async () => {
      if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
      await removeDataDir(directory);
    },
  };
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(20);
  }
}
