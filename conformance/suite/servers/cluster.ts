// A PostgreSQL server of a test: its connections, its programs and its processes.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "./start-server.ts";

// Opens a database connection for one piece of work, and closes it.

/** Runs `work` with a connection of its own to a database. */
export async function withConnection<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  options: Omit<pg.ClientConfig, "connectionString"> = {},
): Promise<T> {
  const client = new pg.Client({ ...options, connectionString: url });
  client.on("error", () => {}); // the statement under way fails with it
  await client.connect();
  return work(client).finally(() => client.end());
}

// A PostgreSQL server of a test, which may be killed.

/** A PostgreSQL server of its own, made with Debian's programs, that may be killed without harm to others. `stop` removes its data. */
export type Cluster = {
  url: string;
  stop: () => Promise<void>;
  /** Ends all of its processes at once, as a power cut would. */
  kill: () => Promise<void>;
  /** Sends SIGKILL to all of its processes. */
  sigkill: () => Promise<void>;
  /** Stops all of its processes without ending one, and closes no connection. */
  freeze: () => void;
  /** Lets them go on. */
  thaw: () => void;
  /** Its processes now. */
  pids: () => number[];
  /** Its data directory. */
  data: string;
  /** Starts it again after `kill` or `sigkill`. */
  start: () => Promise<void>;
};

export type Settings = Readonly<Record<string, string | number>>;

const run = promisify(execFile);
const debian = "/usr/lib/postgresql";

/** The folder of the newest installed version's programs; null when there is none. */
export async function postgresPrograms(): Promise<string | null> {
  const versions = await readdir(debian).catch(() => []);
  const newest = versions.map(Number).sort((a, b) => b - a)[0];
  return newest === undefined ? null : join(debian, String(newest), "bin");
}

/** PostgreSQL and PgBouncer refuse to run as root: as root they are started as the user of Debian's package, as the very process that is spawned. */
export const asPostgres = (program: string, args: readonly string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ["setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", "--", program, ...args]]
    : [program, [...args]];

/** Starts a cluster in a temporary folder. `settings` are those of postgresql.conf. */
export function startCluster(settings: Settings = {}): Promise<Cluster> {
  return startOn(settings, async (programs, data) => {
    await run(...asPostgres(join(programs, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]));
  });
}

/** Starts a standby of the cluster at `primaryUrl`, which it follows. Its name is `standby`, for `synchronous_standby_names`. */
export function startStandby(primaryUrl: string, settings: Settings = {}): Promise<Cluster> {
  const connection = `${primaryUrl}?application_name=standby`;
  return startOn({ hot_standby_feedback: "on", ...settings }, async (programs, data) => {
    await run(...asPostgres(join(programs, "pg_basebackup"), ["-D", data, "-d", connection, "-R", "--checkpoint=fast"]));
  });
}

/** Writes a backup of a running cluster to a new folder. */
export async function backUpCluster({ url }: Cluster, folder: string): Promise<void> {
  const program = join((await postgresPrograms()) as string, "pg_basebackup");
  await run(...asPostgres(program, ["-D", folder, "-d", url, "--checkpoint=fast"]));
}

/** `create` makes the data directory. */
async function startOn(settings: Settings, create: (programs: string, data: string) => Promise<void>): Promise<Cluster> {
  const programs = await postgresPrograms();
  if (!programs) throw new Error("there is no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql");
  const folder = await mkdtemp(join(tmpdir(), "namjai-cluster-"));
  await chmod(folder, 0o777);
  const [data, port] = [join(folder, "data"), await freePort()];
  await create(programs, data);
  // When it is killed it leaves its shared memory behind: in its own folder, which is deleted, instead of /dev/shm.
  const own = { listen_addresses: "127.0.0.1", unix_socket_directories: "", dynamic_shared_memory_type: "mmap" };
  const all = { port, ...own, ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const start = async () => {
    const child = spawn(...asPostgres(join(programs, "postgres"), ["-D", data, ...options]), { stdio: "ignore" });
    const exited = once(child, "exit");
    await untilAnswering(url);
    return { exited };
  };
  let running = await start();
  const kill = async () => {
    await run(...asPostgres(join(programs, "pg_ctl"), ["-D", data, "-m", "immediate", "stop"]));
    await running.exited;
  };
  return {
    url,
    kill,
    sigkill: async () => {
      freeze(data);
      signalAll(postgresPids(data), "SIGKILL");
      await running.exited;
    },
    freeze: () => freeze(data),
    thaw: () => signalAll(postgresPids(data), "SIGCONT"),
    data,
    pids: () => postgresPids(data),
    start: async () => {
      running = await start();
    },
    stop: async () => {
      await kill().catch(() => {}); // it may have been killed before
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The first process, which starts the others, comes first: it starts no other meanwhile. */
function freeze(data: string): void {
  signalAll(postgresPids(data).slice(0, 1), "SIGSTOP");
  signalAll(postgresPids(data), "SIGSTOP");
}

/** Waits until the server answers a query, for at most a minute. */
export async function untilAnswering(url: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await sleep(50)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on("error", () => {});
    const answered = await client
      .connect()
      .then(() => client.query("select 1"))
      .then(
        () => true,
        () => false,
      )
      .finally(() => client.end().catch(() => {}));
    if (answered) return;
    if (Date.now() > deadline) throw new Error(`${new URL(url).host} did not answer within a minute`);
  }
}

// Finds and signals the processes of a PostgreSQL server.

/** The postmaster of a data directory and its children; none when it does not run. */
export function postgresPids(data: string): number[] {
  try {
    const postmaster = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    if (!readFileSync(`/proc/${postmaster}/cmdline`, "utf8").includes(data)) return [];
    const children = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === postmaster);
    return [postmaster, ...children.map(Number)];
  } catch {
    return [];
  }
}

/** Sends a signal to processes. Those that have ended meanwhile are left out. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {} // it has ended meanwhile
}

function parentOf(pid: string): number | null {
  try {
    return Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
  } catch {
    return null; // gone meanwhile
  }
}
