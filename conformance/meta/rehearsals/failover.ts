// `make rehearse-failover`: two server processes and two PostgreSQL servers under Patroni, by the files of deploy/. The primary is killed
// under load, or stops without closing a connection, and its synchronous standby takes over. Prints what became of donations and reports.
// KILLS=20 in all, SEED=1, KIND="machine killed" for one kind alone.
// With the word `cuts`: on machines with networks of their own, which are cut. CUTS=12 in all, CUT="primary, both ways" for the kinds that have
// this in their names, SECONDS=35 for each.

import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { missingPackages, type Node, type Site } from "../../suite/servers/patroni.ts";
import { type Failure, kills, rehearseFailover } from "../../suite/servers/rehearsals/failover.ts";
import { operatorEnvironment, requireInstalled } from "../program.ts";

// A network of machines in network namespaces, which can be cut one way or both ways.

const run = promisify(execFile);

/** The addresses of the samples in deploy/: the machines a, b and c, and the machine of the server, which is this process. */
const prefix = "10.0.0.";
const machines = { a: "11", b: "12", c: "13" };
const server = "21";
const addressOf = (name: keyof typeof machines): string => `${prefix}${machines[name]}`;

/** What is lost: packets from an address, to it, or both; of all ports, or of some. */
type Cut = { address: string; ways: readonly ("from" | "to")[]; ports?: string };

type MachineNetwork = { site: Site; cut: (cut: Cut) => Promise<void>; mend: () => Promise<void> };

const isolated = ["--net", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc"];

const ip = (...words: string[]) => run("ip", words);

const maxCuts = 60;
const maxSeconds = 120;

const ways: Readonly<Record<string, Cut["ways"]>> = { "both ways": ["from", "to"], "hears nothing": ["to"], "is not heard": ["from"] };
const places: Readonly<Record<string, (primary: Node) => Omit<Cut, "ways">>> = {
  primary: ({ address }) => ({ address }),
  standby: ({ name }) => ({ address: addressOf(name === "a" ? "b" : "a") }),
  "primary's etcd": ({ address }) => ({ address, ports: "2379-2380" }),
  "third etcd": () => ({ address: addressOf("c") }),
};

type Rehearsed = Awaited<ReturnType<typeof rehearseFailover>>;
type Row = Rehearsed["rows"][number];

const seed = Number(process.env.SEED || 1);
const missing = await missingPackages();
requireInstalled(missing.length > 0 ? `${missing.join(", ")} missing (apt-get install ${missing.join(" ")})` : null);
const words: Record<string, () => Promise<number>> = { cuts: openNetwork, inside: cutNetworks };
process.exit(await (words[process.argv[2] ?? ""] ?? killPrimaries)());

async function killPrimaries(): Promise<number> {
  const count = Number(process.env.KILLS || 20);
  let number = 0;
  const found = await rehearseFailover({
    env: operatorEnvironment(),
    count,
    seed,
    failures: kills.filter(({ name }) => name.includes(process.env.KIND ?? "")),
    onRow: (row) => console.log(`${++number} of ${count}: ${row.failure}, ${row.away} s`),
  });
  console.table(found.rows);
  const byKind = kills.map(({ name }) => [name, found.rows.filter(({ failure }) => failure === name)] as const);
  console.table(Object.fromEntries(byKind.filter(([, of]) => of.length > 0).map(([kind, of]) => [kind, summaryOf(of)])));
  return exitCodeOf(found);
}

function summaryOf(of: readonly Row[]) {
  const sum = (value: (row: Row) => number): number => of.reduce((total, row) => total + value(row), 0);
  const seconds = of.map(({ away }) => away).sort((a, b) => a - b);
  return {
    kills: of.length,
    acknowledged: sum((row) => row.acknowledged),
    refused: sum((row) => row.refused),
    unknown: sum((row) => row.unknown),
    reports: sum((row) => row.reports),
    wrongReports: sum((row) => row.wrongReports),
    medianAway: seconds[seconds.length >> 1],
    longestAway: seconds.at(-1),
  };
}

function openNetwork(): Promise<number> {
  requireInstalled(missingForNetwork());
  return runIsolated(process.execPath, [import.meta.filename, "inside"]);
}

async function cutNetworks(): Promise<number> {
  const network = await makeNetwork();
  const chosen = kindsOf(network).filter(({ name }) => name.includes(process.env.CUT ?? ""));
  const count = Math.min(Number(process.env.CUTS || chosen.length), maxCuts);
  let number = 0;
  const found = await rehearseFailover({
    env: operatorEnvironment(),
    count,
    seed,
    failures: chosen,
    site: network.site,
    onRow: (row) => console.log(`${++number} of ${count}: ${row.failure}, ${row.acknowledged} acknowledged, ${row.lost} lost`),
  });
  console.table(Object.fromEntries(found.rows.map(({ failure, ...row }, index) => [`${index + 1} ${failure}`, row])));
  return exitCodeOf(found);
}

/** Prints the sums, and returns 0 where nothing is wrong. */
function exitCodeOf({ acknowledged, lost, doubled, unasked, unexpected, stored, reported }: Rehearsed): number {
  console.log(`acknowledged ${acknowledged}: lost ${lost}, doubled ${doubled}; the last report has ${reported} of ${stored} donations`);
  for (const text of new Set(unexpected)) console.log(`unexpected: ${text}`);
  if (unasked > 0) console.log(`recorded after a refusal: ${unasked}`);
  return lost + doubled + unasked + unexpected.length === 0 && reported === stored ? 0 : 1;
}

/** Why there can be no such network here; null if there can. */
function missingForNetwork(): string | null {
  const tried = spawnSync("unshare", [
    ...isolated,
    "sh",
    "-c",
    "mount -t tmpfs none /run && ip link add x type veth && ip rule add priority 1 from 10.0.0.1 blackhole",
  ]);
  return tried.status === 0
    ? null
    : `no network namespaces (root, unshare and ip are needed): ${tried.error?.message ?? tried.stderr}`.trim();
}

/**
 * Runs a command in namespaces of its own, and returns its exit code. Its network has no way out; with the command end all processes of it, and
 * with them the namespaces, however either ends.
 */
async function runIsolated(program: string, args: readonly string[]): Promise<number> {
  // The shell waits for processes whose parent has ended.
  const child = spawn("unshare", [...isolated, "sh", "-c", '"$@"; exit $?', "sh", program, ...args], { stdio: "inherit" });
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end).once("SIGTERM", () => process.exit(143));
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

/** Makes the network within `runIsolated`. Each machine is linked to a router, which loses what is cut: no machine learns of it. */
async function makeNetwork(): Promise<MachineNetwork> {
  await run("mount", ["-t", "tmpfs", "none", "/run"]); // where ip keeps the names of namespaces
  await ip("netns", "add", "router");
  await run("ip", ["netns", "exec", "router", "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"]);
  for (const [name, number] of Object.entries(machines)) {
    await ip("netns", "add", name);
    await link(["-n", name], `${prefix}${number}`);
  }
  await link([], `${prefix}${server}`);
  const rule = (change: string, words: string[]) => ip("-n", "router", "rule", change, "priority", "100", ...words);
  let rules: string[][] = [];
  return {
    site: {
      prefix,
      on: (machine, program, args) => (machine in machines ? ["ip", ["netns", "exec", machine, program, ...args]] : [program, args]),
    },
    cut: async ({ address, ways, ports }) => {
      const portsOf = ports ? ["dport", "sport"].map((side) => ["ipproto", "tcp", side, ports]) : [[]];
      rules = ways.flatMap((way) => portsOf.map((words) => [way, address, ...words, "blackhole"]));
      for (const words of rules) await rule("add", words);
    },
    mend: async () => {
      for (const words of rules.splice(0)) await rule("del", words);
    },
  };
}

/** Links a namespace to the router. */
async function link(own: string[], address: string): Promise<void> {
  const port = `port${address.split(".").at(-1)}`;
  await ip("-n", "router", "link", "add", port, "type", "veth", "peer", "name", "uplink");
  await ip("-n", "router", "link", "set", "uplink", "netns", own[1] ?? String(process.pid));
  await ip("-n", "router", "address", "add", `${prefix}1/32`, "dev", port);
  await ip("-n", "router", "link", "set", port, "up");
  await ip("-n", "router", "route", "add", `${address}/32`, "dev", port);
  await ip(...own, "address", "add", `${address}/32`, "dev", "uplink");
  for (const device of ["lo", "uplink"]) await ip(...own, "link", "set", device, "up");
  await ip(...own, "route", "add", `${prefix}1`, "dev", "uplink", "scope", "link");
  await ip(...own, "route", "add", `${prefix}0/24`, "via", `${prefix}1`);
}

function kindsOf({ cut, mend }: MachineNetwork): Failure[] {
  const lastsMs = Math.min(Number(process.env.SECONDS || 35), maxSeconds) * 1_000;
  return Object.entries(places).flatMap(([place, of]) =>
    Object.entries(ways).map(([way, lost]) => ({
      name: `${place}, ${way}`,
      lastsMs,
      begin: (primary: Node) => cut({ ...of(primary), ways: lost }),
      mend,
    })),
  );
}
