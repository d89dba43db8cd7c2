// `make conformance-standby`: the suite against a server that reads from a standby, on a PostgreSQL of its own.
// ONLY=…, DEPTH=full, SERVERS=1, REPORT=folder

import { spawn } from "node:child_process";
import { once } from "node:events";
import { checkout, node } from "../../suite/contract/sources.ts";
import { startCluster, startStandby } from "../../suite/servers/cluster.ts";

// Left out: rules that start a PostgreSQL of their own, and attacks on a history that is prepared with temporary tables.
const only = process.env.ONLY || "/^(?!deployment.(citus|database-stops|failover|pooler|standby)$|transport.attacks)/";
const primary = await startCluster({ max_connections: 200 });
const standby = await startStandby(primary.url, { max_connections: 200 });
const words = [
  ...["conformance/main.ts", "--only", only, "--no-corpus", "--depth", process.env.DEPTH || "standard"],
  ...(process.env.SERVERS ? ["--servers", process.env.SERVERS] : []),
  ...(process.env.REPORT ? ["--report", process.env.REPORT] : []),
];
const suite = spawn(node, words, {
  cwd: checkout,
  env: { ...process.env, DATABASE_URL: primary.url, READ_DATABASE_URL: standby.url },
  stdio: "inherit",
});
const [code] = await once(suite, "exit");
await standby.stop();
await primary.stop();
process.exit(code ?? 1);
