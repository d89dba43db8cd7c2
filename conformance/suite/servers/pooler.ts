// PgBouncer in front of a PostgreSQL server.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { untilAnswering } from "./cluster.ts";
import { freePort } from "./free-port.ts";

/** PgBouncer in transaction mode in front of all databases of a PostgreSQL server. */
export type Pooler = {
  /** The address of the database of `url`, through the pooler. */
  through: (url: string) => string;
  /** Kills it with SIGKILL and starts another at its address. Resolves when that one answers. */
  kill: () => Promise<void>;
  stop: () => Promise<void>;
};

const program = "pgbouncer";

export const isPoolerInstalled = (): boolean => spawnSync(program, ["--version"]).status === 0;

type PoolerOptions = { serverUrl: string; mode?: "transaction" | "session"; servers?: number };

export async function startPooler({ serverUrl, mode = "transaction", servers = 10 }: PoolerOptions): Promise<Pooler> {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const [folder, port] = [await mkdtemp(join(tmpdir(), "namjai-pooler-")), await freePort()];
  await chmod(folder, 0o755);
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${serverPort} user=${username}${password ? ` password=${decodeURIComponent(password)}` : ""}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    `default_pool_size = ${servers}`,
    "max_client_conn = 1000",
    "server_login_retry = 1",
  ];
  const file = join(folder, "pgbouncer.ini");
  await writeFile(file, lines.join("\n"));
  const through = (url: string) => Object.assign(new URL(url), { host: `127.0.0.1:${port}`, search: "" }).href;
  let child = await start(file, through(serverUrl));
  return {
    through,
    kill: async () => {
      await end(child);
      child = await start(file, through(serverUrl));
    },
    stop: async () => {
      await end(child);
      await rm(folder, { recursive: true });
    },
  };
}

async function start(file: string, url: string): Promise<ChildProcess> {
  const user = process.getuid?.() === 0 ? ["-u", "postgres"] : []; // it refuses to run as root
  const child = spawn(program, ["-q", ...user, file], { stdio: "ignore" });
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`)));
  ended.catch(() => {});
  await Promise.race([untilAnswering(url), ended]);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
