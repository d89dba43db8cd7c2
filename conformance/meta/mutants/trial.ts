// Starts a mutant on a database of its own.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFixtures } from "../../suite/servers/fixtures.ts";
import { serverEnvironment } from "../../suite/servers/serve.ts";
import { startServer } from "../../suite/servers/start-server.ts";
import type { Depth } from "../../suite/values/sample.ts";
import type { Served } from "../../suite/values/target.ts";
import type { Copy } from "./copy.ts";
import type { Environment } from "./environment.ts";
import type { Mutant } from "./mutant.ts";
import { openProxy } from "./proxy.ts";
import { type Finding, runSuite, type Selection } from "./suite.ts";

export type Trial = {
  /** Null: the unchanged server. */
  mutant: Mutant | null;
  /** Name of the mutant; null: the unchanged server. */
  name: string | null;
  depth: Depth;
  /** Folder of the mutant's reports. */
  report: string;
};

/** Runs the selected rules with each seed. */
type RunSuite = (selection: Selection, seeds: readonly string[]) => Promise<Finding[]>;

type Undo = (step: () => unknown) => void;

// Runs the suite against one mutant.

/** Starts the mutant on its own database, which all runs of `use` share, and stops it afterwards. */
export async function withTrial<T>(environment: Environment, copy: Copy, trial: Trial, use: (run: RunSuite) => Promise<T>): Promise<T> {
  const steps: (() => unknown)[] = [];
  try {
    await mkdir(trial.report, { recursive: true });
    const served = await start(environment, copy, { mutant: trial.mutant, undo: (step) => steps.unshift(step) });
    const file = join(trial.report, "served.json");
    await writeFile(file, JSON.stringify(served), { mode: 0o600 });
    steps.push(() => rm(file));
    return await use((selection, seeds) => runSuite({ ...trial, ...selection, seeds, served: file }));
  } finally {
    for (const step of steps) await step();
  }
}

async function start(environment: Environment, copy: Copy, { mutant, undo }: { mutant: Mutant | null; undo: Undo }): Promise<Served> {
  if (mutant && "edit" in mutant) undo(await copy.edit(mutant.edit));
  const database = await environment.newDatabase();
  undo(database.drop);
  const logs = await mkdtemp(join(tmpdir(), "namjai-mutant-log-"));
  undo(() => rm(logs, { recursive: true }));
  const { port, env } = await serverEnvironment(database);
  const own = `http://127.0.0.1:${port}`;
  const proxy = mutant && "interceptor" in mutant ? await openProxy(port, mutant.interceptor()) : null;
  if (proxy) undo(proxy.close);
  const url = proxy?.url ?? own;
  const server = await startServer(own, { ...env, BASE_URL: url }, { log: join(logs, "server.log"), quiet: true, code: copy.folder });
  undo(server.kill);
  return withFixtures(environment.equipment, { url, operator: { env, handle: "main", code: copy.folder }, logs });
}
