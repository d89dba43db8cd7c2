// Two PostgreSQL servers under Patroni, one of which takes over when the other fails.

import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as consumeText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { parse, stringify } from "yaml";
import { checkout } from "../contract/sources.ts";
import { asPostgres, postgresPids, postgresPrograms, signalAll, untilAnswering } from "./cluster.ts";
import { freePort } from "./start-server.ts";

/** Two PostgreSQL servers under Patroni, with three etcd and HAProxy, by the files of `deploy/`. */
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
  address: string;
  /** Ends all processes of its PostgreSQL at once. */
  killPostgres: () => void;
  /** Ends Patroni and PostgreSQL at once, as a power cut would. */
  killMachine: () => Promise<void>;
  /** Starts Patroni again after `killMachine`. */
  startMachine: () => Promise<void>;
  /** Stops all processes without ending one, and closes no connection: Patroni's and PostgreSQL's. */
  freeze: () => void;
};

type Machine = Node & { home: string };

/** Where the machines are. */
export type Site = {
  /** What stands for the `10.0.0.` of the sample's addresses. */
  prefix: string;
  /** The call that runs a program on a machine. */
  on: (machine: string, program: string, args: readonly string[]) => [string, readonly string[]];
};

type Cluster = { site: Site; folder: string; programs: string };

/** Debian's packages of what the cluster needs and is not installed. */
export async function missingPackages(): Promise<string[]> {
  const isMissing = (program: string): boolean =>
    spawnSync(program, [program === "openssl" ? "version" : "--version"], { env: environment }).error !== undefined;
  const missing = [
    ["patroni", "patroni"],
    ["etcd", "etcd-server"],
    ["haproxy", "haproxy"],
    ["openssl", "openssl"],
  ].flatMap(([program = "", name = ""]) => (isMissing(program) ? [name] : []));
  return (await postgresPrograms()) === null ? [...missing, "postgresql"] : missing;
}

const run = promisify(execFile);

// haproxy is in /usr/sbin, which is not on everybody's path.
const environment = { PATH: `${process.env.PATH}:/usr/sbin`, LANG: "C.UTF-8" };

/** Addresses of this machine alone, which no other cluster has. */
function onLoopback(): Site {
  const part = (): number => 1 + Math.floor(254 * Math.random());
  return { prefix: `127.${part()}.${part()}.`, on: (_, program, args) => [program, args] };
}

/** With a site of its own every machine has the sample's addresses and times. On loopback the times are as short as Patroni takes them. */
export async function startPatroni(own?: Site): Promise<PatroniCluster> {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), "namjai-patroni-"));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o777);
    const cluster = { site: own ?? onLoopback(), folder, programs: (await postgresPrograms()) as string };
    const [a, b, c] = ["a", "b", "c"].map((name) => machine(cluster, name)) as [Machine, Machine, Machine];
    const nodes: [Machine, Machine] = [a, b];
    await makeCertificates(folder, [a, b, c]);
    for (const node of [a, b, c]) undo.push(await startEtcd(cluster, node));
    await untilHealthy(folder, [a, b, c]);
    for (const node of nodes) undo.push(node.killMachine);
    const { url, standbyUrl, end } = await startHaproxy(cluster, own === undefined);
    undo.push(end);
    for (const node of nodes) await node.startMachine();
    await untilSynchronous(folder, nodes);
    await createDatabase(await primaryOf(folder, nodes));
    await untilAnswering(url);
    return { url, standbyUrl, primary: () => primaryOf(folder, nodes), untilSynchronous: () => untilSynchronous(folder, nodes), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As deploy/machine-certificates.sh makes them. A machine has its own in its folder `tls`. */
async function makeCertificates(folder: string, machines: readonly Machine[]): Promise<void> {
  const program = join(checkout, "deploy/machine-certificates.sh");
  await run("sh", [program, ...machines.map(({ address }) => address)], { cwd: folder });
  for (const { address, home } of machines) {
    await mkdir(home);
    await rename(join(folder, address), join(home, "tls"));
    await copyFile(join(folder, "ca.crt"), join(home, "tls/ca.crt"));
    if (process.getuid?.() === 0) await run("chown", ["-R", "postgres:postgres", home]);
  }
}

/** Role and database of the server, as docs/operations/two-machines.md has them. */
async function createDatabase(primary: Machine | null): Promise<void> {
  const sql = ["create role namjai login password 'CHANGE_ME_AS_WELL'", "create database namjai owner namjai"];
  const words = ["-h", primary?.home ?? "", "-U", "postgres", ...sql.flatMap((statement) => ["-c", statement])];
  await run(...asPostgres("psql", words));
}

/** The end of what the programs wrote, for an error. */
async function logOf(folder: string, name: string): Promise<string> {
  return (await readFile(join(folder, `${name}.log`), "utf8").catch(() => "")).slice(-1_000);
}

/** Starts a program on a machine as PostgreSQL's user, with its output in a file. */
async function start({ site, folder }: Cluster, name: string, call: [string, string[], NodeJS.ProcessEnv?]): Promise<ChildProcess> {
  const [program, args, env = {}] = call;
  const log = await open(join(folder, `${name}.log`), "a");
  const child = spawn(...(site.on(name.replace("etcd-", ""), ...asPostgres(program, args)) as [string, string[]]), {
    cwd: folder,
    env: { ...environment, HOME: folder, ...env },
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

async function startEtcd(cluster: Cluster, { name, home, address }: Machine): Promise<() => Promise<void>> {
  const sample = await sampleFor(cluster, "etcd.env", home);
  const [, first = ""] = /^ETCD_LISTEN_CLIENT_URLS=https:..(.*):/m.exec(sample) ?? [];
  const own = sample.replace(/^(?!ETCD_INITIAL_CLUSTER=).*$/gm, (line) => line.replace("etcd-a", `etcd-${name}`).replace(first, address));
  const env = Object.fromEntries(own.split("\n").flatMap((line) => (/^[A-Z]/.test(line) ? [line.split(/=(.*)/s).slice(0, 2)] : [])));
  const child = await start(cluster, `etcd-${name}`, ["etcd", [], env]);
  return () => end(child);
}

async function untilHealthy(folder: string, machines: readonly Machine[]): Promise<void> {
  const tls = join((machines[0] as Machine).home, "tls");
  const [cert, key] = await Promise.all([readFile(join(tls, "machine.crt")), readFile(join(tls, "machine.key"))]);
  const isHealthy = async (): Promise<boolean> => {
    const answers = await Promise.all(machines.map(({ address }) => ask(folder, `https://${address}:2379/health`, { cert, key })));
    return answers.every((answer) => answer?.text.includes('"true"'));
  };
  await until("etcd", 60_000, isHealthy, () => logOf(folder, "etcd-a"));
}

/** A sample of deploy/ with the folders and the addresses of this cluster. */
async function sampleFor({ site, programs }: Cluster, file: string, home: string): Promise<string> {
  const sample = await readFile(join(checkout, "deploy", file), "utf8");
  const own = sample
    .replaceAll(/\/var\/lib\/(postgresql\/15|etcd)|\/var\/run\/postgresql/g, home)
    .replaceAll("/etc/ssl/namjai", join(home, "tls"))
    .replaceAll("/usr/lib/postgresql/15/bin", programs);
  // On loopback every connection comes from 127.0.0.1.
  const placed = site.prefix.startsWith("127.") ? own.replaceAll(/10\.0\.0\.\d+\/32/g, "127.0.0.1/32") : own;
  return placed.replaceAll("10.0.0.", site.prefix);
}

async function startHaproxy(
  cluster: Cluster,
  isOnLoopback: boolean,
): Promise<{ url: string; standbyUrl: string; end: () => Promise<void> }> {
  const [primary, standby] = isOnLoopback ? [await freePort(), await freePort()] : [5000, 5001];
  const sample = await sampleFor(cluster, "haproxy-postgresql.cfg", join(cluster.folder, "a"));
  const file = join(cluster.folder, "haproxy.cfg");
  await writeFile(
    file,
    sample.replace("bind 127.0.0.1:5000", `bind 127.0.0.1:${primary}`).replace("bind 127.0.0.1:5001", `bind 127.0.0.1:${standby}`),
  );
  const child = await start(cluster, "haproxy", ["haproxy", ["-db", "-f", file]]);
  const query = `sslmode=verify-full&sslrootcert=${join(cluster.folder, "ca.crt")}`;
  const url = (port: number): string => `postgres://namjai:CHANGE_ME_AS_WELL@127.0.0.1:${port}/namjai?${query}`;
  return { url: url(primary), standbyUrl: url(standby), end: () => end(child) };
}

/** As short as Patroni takes them: the rehearsal waits for them at each kill. */
const shortTimes = { ttl: 8, loop_wait: 1, retry_timeout: 3 };

/** The sample for one machine. Without the watchdog, which would reset this machine, and with shared memory that is deleted with the folder. */
async function configuration(cluster: Cluster, { name, home, address }: Machine): Promise<string> {
  const sample = parse(await sampleFor(cluster, "patroni.yaml", home));
  sample.name = name;
  for (const [part, port] of [
    ["restapi", 8008],
    ["postgresql", 5432],
  ] as const)
    Object.assign(sample[part], { listen: `${address}:${port}`, connect_address: `${address}:${port}` });
  sample.watchdog.mode = "off";
  sample.postgresql.parameters = { ...sample.postgresql.parameters, dynamic_shared_memory_type: "mmap" };
  if (cluster.site.prefix.startsWith("127.")) Object.assign(sample.bootstrap.dcs, shortTimes);
  // Without root, PostgreSQL runs as this user.
  if (process.getuid?.() !== 0) sample.postgresql.pg_hba = sample.postgresql.pg_hba.map((line: string) => line.replace("peer", "trust"));
  return stringify(sample);
}

function machine(cluster: Cluster, name: string): Machine {
  const home = join(cluster.folder, name);
  const data = join(home, "namjai");
  let patroni: ChildProcess | null = null;
  const own: Machine = {
    name,
    address: `${cluster.site.prefix}1${"abc".indexOf(name) + 1}`,
    home,
    killPostgres: () => signalAll(postgresPids(data), "SIGKILL"),
    killMachine: async () => {
      const pids = postgresPids(data);
      const ended = end(patroni);
      signalAll(pids, "SIGKILL");
      await ended;
    },
    startMachine: async () => {
      const file = join(home, "patroni.yaml");
      await writeFile(file, await configuration(cluster, own));
      patroni = await start(cluster, name, ["patroni", [file]]);
    },
    freeze: () => signalAll([...(patroni?.pid ? [patroni.pid] : []), ...postgresPids(data)], "SIGSTOP"),
  };
  return own;
}

async function primaryOf(folder: string, nodes: readonly Machine[]): Promise<Machine | null> {
  const answers = await Promise.all(nodes.map(({ address }) => ask(folder, `https://${address}:8008/primary`)));
  return nodes[answers.findIndex((answer) => answer?.status === 200)] ?? null;
}

/** The answer of a machine whose certificate the cluster's authority has signed; null without one. */
async function ask(folder: string, url: string, own: object = {}): Promise<{ status: number; text: string } | null> {
  try {
    const ca = await readFile(join(folder, "ca.crt"));
    const asked = request(url, { ...own, ca, agent: false, signal: AbortSignal.timeout(2_000) }).end();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, text: await consumeText(answer) };
  } catch {
    return null;
  }
}

type Member = { name: string; role: string; state: string };

async function untilSynchronous(folder: string, nodes: readonly [Machine, Machine]): Promise<void> {
  const isSynchronous = async (): Promise<boolean> => {
    const primary = await primaryOf(folder, nodes);
    const answer = primary && (await ask(folder, `https://${primary.address}:8008/cluster`));
    if (!answer) return false;
    const { members } = JSON.parse(answer.text) as { members: Member[] };
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
