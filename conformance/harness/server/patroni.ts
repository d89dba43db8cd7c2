// Two PostgreSQL servers under Patroni, one of which takes over when the other fails.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";

import { asPostgres, postgresPrograms, untilAnswering } from "./cluster.ts";
import { freePort } from "./free-port.ts";
import { postgresPids, signalAll } from "./postgres-processes.ts";
import { checkout } from "./start-server.ts";

/** Two PostgreSQL servers under Patroni, with etcd and HAProxy, all on loopback, by the files of `deploy/`. */
export type PatroniCluster = {
  /** The address of the primary, through HAProxy. */
  url: string;
  /** The address of the standby, through HAProxy. */
  standbyUrl: string;
  /** The node that is the primary now; null while there is none. */
  primary: () => Promise<Node | null>;
  /** Resolves when there are a primary and a synchronous standby. */
  untilSynchronous: () => Promise<void>;
  stop: () => Promise<void>;
};

export type Node = {
  name: string;
  /** Ends all processes of its PostgreSQL at once. */
  killPostgres: () => void;
  /** Ends Patroni and PostgreSQL at once, as a power cut would. */
  killMachine: () => Promise<void>;
  /** Starts Patroni again after `killMachine`. */
  startMachine: () => Promise<void>;
  /** Stops all processes without ending one, and closes no connection: Patroni's and PostgreSQL's. */
  freeze: () => void;
};

type Addresses = { postgres: number; rest: number; etcd: number; peer: number; folder: string; programs: string };
type Machine = Node & { addresses: Addresses };

/** Debian's packages of what the cluster needs and is not installed. */
export async function missingPackages(): Promise<string[]> {
  const isMissing = (program: string): boolean => spawnSync(program, ["--version"], { env: environment }).error !== undefined;
  const missing = [
    ["patroni", "patroni"],
    ["etcd", "etcd-server"],
    ["haproxy", "haproxy"],
  ].flatMap(([program = "", name = ""]) => (isMissing(program) ? [name] : []));
  return (await postgresPrograms()) === null ? [...missing, "postgresql"] : missing;
}

// haproxy is in /usr/sbin, which is not on everybody's path.
const environment = { PATH: `${process.env.PATH}:/usr/sbin`, LANG: "C.UTF-8" };

export async function startPatroni(): Promise<PatroniCluster> {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), "namjai-patroni-"));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o777);
    const programs = (await postgresPrograms()) as string;
    const [etcd, peer] = [await freePort(), await freePort()];
    const at = async (): Promise<Addresses> => ({ postgres: await freePort(), rest: await freePort(), etcd, peer, folder, programs });
    const nodes = [await at(), await at()].map((addresses, index) => machine(index === 0 ? "a" : "b", addresses)) as [Machine, Machine];
    undo.push(await startEtcd(nodes[0].addresses));
    for (const node of nodes) undo.push(node.killMachine);
    const { url, standbyUrl, end } = await startHaproxy(nodes);
    undo.push(end);
    for (const node of nodes) await node.startMachine();
    await untilSynchronous(nodes);
    await untilAnswering(url);
    return { url, standbyUrl, primary: () => primaryOf(nodes), untilSynchronous: () => untilSynchronous(nodes), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The end of what the programs wrote, for an error. */
async function logOf(folder: string, name: string): Promise<string> {
  return (await readFile(join(folder, `${name}.log`), "utf8").catch(() => "")).slice(-1_000);
}

/** Starts a program as PostgreSQL's user, with its output in a file. */
async function start(folder: string, name: string, [program, ...words]: [string, ...string[]]): Promise<ChildProcess> {
  const log = await open(join(folder, `${name}.log`), "a");
  const child = spawn(...asPostgres(program, words), {
    cwd: folder,
    env: { ...environment, HOME: folder },
    stdio: ["ignore", log.fd, log.fd],
  });
  await log.close();
  return child;
}

async function end(child: ChildProcess | null): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

async function startEtcd({ folder, etcd, peer }: Addresses): Promise<() => Promise<void>> {
  const [clients, peers] = [`http://127.0.0.1:${etcd}`, `http://127.0.0.1:${peer}`];
  const child = await start(folder, "etcd", [
    "etcd",
    ...["--data-dir", join(folder, "etcd"), "--listen-client-urls", clients, "--advertise-client-urls", clients],
    ...["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", `default=${peers}`],
  ]);
  await until(
    "etcd",
    60_000,
    async () => (await fetch(`${clients}/health`)).ok,
    () => logOf(folder, "etcd"),
  );
  return () => end(child);
}

async function startHaproxy(nodes: readonly [Machine, Machine]): Promise<{ url: string; standbyUrl: string; end: () => Promise<void> }> {
  const { folder } = nodes[0].addresses;
  const [primary, standby] = [await freePort(), await freePort()];
  const sample = await readFile(join(checkout, "deploy/haproxy-postgresql.cfg"), "utf8");
  const [a, b] = nodes.map(({ addresses: { postgres, rest } }) => `127.0.0.1:${postgres} check port ${rest}`) as [string, string];
  const file = join(folder, "haproxy.cfg");
  const text = sample.replaceAll("10.0.0.11:5432 check port 8008", a).replaceAll("10.0.0.12:5432 check port 8008", b);
  await writeFile(
    file,
    text.replace("127.0.0.1:5000\n  o", `127.0.0.1:${primary}\n  o`).replace("127.0.0.1:5001\n  o", `127.0.0.1:${standby}\n  o`),
  );
  const child = await start(folder, "haproxy", ["haproxy", "-db", "-f", file]);
  const url = (port: number): string => `postgres://postgres:CHANGE_ME@127.0.0.1:${port}/postgres`;
  return { url: url(primary), standbyUrl: url(standby), end: () => end(child) };
}

/** As short as Patroni takes them: the rehearsal waits for them at each kill. */
const shortTimes = { ttl: 8, loop_wait: 1, retry_timeout: 3 };

/** The sample for one machine, on loopback. */
async function configuration(name: string, { postgres, rest, etcd, folder, programs }: Addresses): Promise<string> {
  const sample = parse(await readFile(join(checkout, "deploy/patroni.yaml"), "utf8"));
  const own = (port: number) => ({ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}` });
  Object.assign(sample, { name, etcd3: { hosts: [`127.0.0.1:${etcd}`] }, restapi: own(rest) });
  Object.assign(sample.bootstrap.dcs, shortTimes);
  sample.watchdog = { mode: "off" }; // it would reset this machine
  Object.assign(sample.postgresql, own(postgres), {
    data_dir: join(folder, name),
    bin_dir: programs,
    pgpass: join(folder, `${name}.pgpass`),
  });
  sample.postgresql.pg_hba = sample.postgresql.pg_hba.map((line: string) => line.replace("10.0.0.0/24", "127.0.0.1/32"));
  sample.postgresql.parameters = { unix_socket_directories: "" };
  return stringify(sample);
}

function machine(name: string, addresses: Addresses): Machine {
  const { folder } = addresses;
  let patroni: ChildProcess | null = null;
  return {
    name,
    addresses,
    killPostgres: () => signalAll(postgresPids(join(folder, name)), "SIGKILL"),
    killMachine: async () => {
      const pids = postgresPids(join(folder, name));
      const ended = end(patroni);
      signalAll(pids, "SIGKILL");
      await ended;
    },
    startMachine: async () => {
      const file = join(folder, `${name}.yaml`);
      await writeFile(file, await configuration(name, addresses));
      patroni = await start(folder, name, ["patroni", file]);
    },
    freeze: () => signalAll([...(patroni?.pid ? [patroni.pid] : []), ...postgresPids(join(folder, name))], "SIGSTOP"),
  };
}

async function primaryOf(nodes: readonly Machine[]): Promise<Machine | null> {
  for (const node of nodes) {
    const answer = await ask(node, "/primary");
    await answer?.text();
    if (answer?.status === 200) return node;
  }
  return null;
}

const ask = (node: Machine, path: string): Promise<Response | null> =>
  fetch(`http://127.0.0.1:${node.addresses.rest}${path}`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);

type Member = { name: string; role: string; state: string };

async function untilSynchronous(nodes: readonly [Machine, Machine]): Promise<void> {
  const { folder } = nodes[0].addresses;
  const isSynchronous = async (): Promise<boolean> => {
    const primary = await primaryOf(nodes);
    const answer = primary && (await ask(primary, "/cluster"));
    if (!answer) return false;
    const { members } = (await answer.json()) as { members: Member[] };
    const has = (role: string) => members.some((member) => member.role === role && /running|streaming/.test(member.state));
    return has("leader") && has("sync_standby");
  };
  const logs = async (): Promise<string> => (await Promise.all(nodes.map(({ name }) => logOf(folder, name)))).join("\n");
  await until("a primary with a synchronous standby", 180_000, isSynchronous, logs);
}

/** `explain`: what an error says beyond the name of what was waited for. */
async function until(what: string, ms: number, condition: () => Promise<boolean>, explain: () => Promise<string>): Promise<void> {
  for (const deadline = Date.now() + ms; !(await condition().catch(() => false)); await sleep(100))
    if (Date.now() > deadline) throw new Error(`${what} was waited for in vain, for ${ms / 1_000} s: ${await explain()}`);
}
