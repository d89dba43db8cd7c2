// `make conformance-pooled`, `-standby` and `-citus`: the suite against a server behind PgBouncer in transaction mode, one that reads from a standby, or
// one whose database Citus distributes over a coordinator and two workers, each on a PostgreSQL of its own.
// ONLY=…, DEPTH=full, SERVERS=1, REPORT=folder

import { spawn } from "node:child_process";
import { once } from "node:events";
import { checkout, node } from "../../suite/contract/sources.ts";
import { missingCitus, startCitus } from "../../suite/servers/citus.ts";
import { startCluster, startStandby } from "../../suite/servers/cluster.ts";
import { startPooler } from "../../suite/servers/rehearsals/pooler.ts";
import { cleanupAtTheEnd, requireInstalled } from "../program.ts";

/** What the suite's servers are told, the number of servers (null: as SERVERS says), and rules that are left out beside those of all. */
type Place = { env: Record<string, string>; servers: string | null; leftOut?: string };

const { later, run } = cleanupAtTheEnd();
const places: Record<string, () => Promise<Place>> = { pooled, standby, citus };
const { env, servers, leftOut = "" } = (await places[process.argv[2] ?? ""]?.()) ?? refuse();
// Left out: rules that start a PostgreSQL of their own, and attacks on a history that is prepared with temporary tables.
const only = process.env.ONLY || `/^(?!deployment.(citus|database-stops|failover|standby)$|${leftOut}transport.attacks)/`;
const words = [
  ...["conformance/main.ts", "--only", only, "--no-corpus", "--depth", process.env.DEPTH || "standard"],
  ...(servers ? ["--servers", servers] : []),
  ...(process.env.REPORT ? ["--report", process.env.REPORT] : []),
];
const suite = spawn(node, words, { cwd: checkout, env: { ...process.env, ...env }, stdio: "inherit" });
const exited = once(suite, "exit");
later(async () => {
  suite.kill("SIGTERM");
  setTimeout(() => suite.kill("SIGTERM"), 30_000).unref(); // the second one ends it at once
  await exited;
});
const [code] = await exited;
await run();
process.exit(code ?? 1);

/** One server: PostgreSQL copies only a database without connections, and the pooler keeps some. Sessions that a rule ends by name are others' too. */
async function pooled(): Promise<Place> {
  const cluster = await startCluster({ max_connections: 200 });
  later(cluster.stop);
  const pooler = await startPooler({ serverUrl: cluster.url, servers: 20 });
  later(pooler.stop);
  return { env: { DATABASE_URL: pooler.through(cluster.url) }, servers: "1", leftOut: "overlay.overlay-two-processes|" };
}

async function standby(): Promise<Place> {
  const primary = await startCluster({ max_connections: 200 });
  later(primary.stop);
  const reading = await startStandby(primary.url, { max_connections: 200 });
  later(reading.stop);
  return { env: { DATABASE_URL: primary.url, READ_DATABASE_URL: reading.url }, servers: process.env.SERVERS ?? null };
}

/** One server: a distributed database can't be copied. */
async function citus(): Promise<Place> {
  requireInstalled(await missingCitus());
  const { url, stop } = await startCitus();
  later(stop);
  return { env: { DATABASE_URL: url, DISTRIBUTE: "citus" }, servers: "1" };
}

function refuse(): never {
  console.error(`conformance/meta/rehearsals/suite.ts ${Object.keys(places).join(" | ")}`);
  process.exit(64);
}
