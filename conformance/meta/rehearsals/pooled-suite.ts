// `make conformance-pooled`: the suite against a server behind PgBouncer in transaction mode, in front of a PostgreSQL of its own.
// ONLY=…, DEPTH=full, REPORT=folder

import { spawn } from "node:child_process";
import { once } from "node:events";
import { checkout, node } from "../../suite/contract/sources.ts";
import { startCluster } from "../../suite/servers/cluster.ts";
import { startPooler } from "../../suite/servers/pooler.ts";

// Left out: rules that start a PostgreSQL of their own, a rule that ends sessions by their name, which in a pooler belong to others as well, and
// attacks on a history that is prepared with temporary tables.
const only =
  process.env.ONLY || "/^(?!deployment.(citus|database-stops|failover|pooler|standby)$|overlay.overlay-two-processes|transport.attacks)/";
const cluster = await startCluster({ max_connections: 200 });
const pooler = await startPooler({ serverUrl: cluster.url, servers: 20 });
// One server: PostgreSQL copies only a database without connections, and the pooler keeps some.
const words = [
  ...["conformance/main.ts", "--only", only, "--no-corpus", "--servers", "1", "--depth", process.env.DEPTH || "standard"],
  ...(process.env.REPORT ? ["--report", process.env.REPORT] : []),
];
const env = { ...process.env, DATABASE_URL: pooler.through(cluster.url) };
const suite = spawn(node, words, { cwd: checkout, env, stdio: "inherit" });
const [code] = await once(suite, "exit");
await pooler.stop();
await cluster.stop();
process.exit(code ?? 1);
