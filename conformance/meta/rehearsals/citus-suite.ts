// `make conformance-citus`: the suite against a server whose database is distributed by Citus over a coordinator and two workers of its own.
// ONLY=…, DEPTH=full, REPORT=folder

import { spawn } from "node:child_process";
import { once } from "node:events";
import { checkout, node } from "../../suite/contract/sources.ts";
import { missingCitus, startCitus } from "../../suite/servers/citus.ts";
import { cleanupAtTheEnd } from "../bench/cleanup.ts";
import { requireInstalled } from "./environment.ts";

// Left out: rules that start a PostgreSQL of their own, and attacks on a history that is prepared with temporary tables.
const only = process.env.ONLY || "/^(?!deployment.(citus|database-stops|failover|pooler|standby)$|transport.attacks)/";

requireInstalled(await missingCitus());
const { later, run } = cleanupAtTheEnd();
const { url, stop } = await startCitus();
later(stop);
// One server: a distributed database can't be copied.
const words = [
  ...["conformance/main.ts", "--only", only, "--no-corpus", "--servers", "1", "--depth", process.env.DEPTH || "standard"],
  ...(process.env.REPORT ? ["--report", process.env.REPORT] : []),
];
const suite = spawn(node, words, { cwd: checkout, env: { ...process.env, DATABASE_URL: url, DISTRIBUTE: "citus" }, stdio: "inherit" });
const exited = once(suite, "exit");
later(async () => {
  suite.kill("SIGTERM");
  setTimeout(() => suite.kill("SIGTERM"), 30_000).unref(); // the second one ends it at once
  await exited;
});
const [code] = await exited;
await run();
process.exit(code ?? 1);
