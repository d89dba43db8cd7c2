import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Depth } from "../harness/generators/sample.ts";
import { equipped } from "../harness/server/equipment.ts";
import { serverEnvironment } from "../harness/server/serve.ts";
import { startServer } from "../harness/server/start-server.ts";
import type { Served } from "../harness/server/target.ts";
import type { Copy } from "./copy.ts";
import type { Mutant } from "./mutant.ts";
import { openProxy } from "./proxy.ts";
import type { Setting } from "./setting.ts";
import { type Finding, measure } from "./suite.ts";

export type Trial = {
  /** Null: the server as it is. */
  mutant: Mutant | null;
  families: readonly string[];
  depth: Depth;
  seed: string;
  /** Folder of the suite's reports. */
  report: string;
};

type Undo = (step: () => unknown) => void;

/** Starts the mutant on a database of its own, and asks the suite what it thinks of it. */
export async function tryOut(setting: Setting, copy: Copy, trial: Trial): Promise<Finding> {
  const steps: (() => unknown)[] = [];
  try {
    await mkdir(trial.report, { recursive: true });
    const served = await start(setting, copy, { mutant: trial.mutant, undo: (step) => steps.unshift(step) });
    const file = join(trial.report, "served.json");
    await writeFile(file, JSON.stringify(served), { mode: 0o600 });
    steps.push(() => rm(file));
    return await measure({ ...trial, served: file });
  } finally {
    for (const step of steps) await step();
  }
}

async function start(setting: Setting, copy: Copy, { mutant, undo }: { mutant: Mutant | null; undo: Undo }): Promise<Served> {
  if (mutant && "edit" in mutant) undo(await copy.edit(mutant.edit));
  const database = await setting.newDatabase();
  undo(database.drop);
  const logs = await mkdtemp(join(tmpdir(), "namjai-mutant-log-"));
  undo(() => rm(logs, { recursive: true }));
  const { port, env } = await serverEnvironment(database);
  const own = `http://127.0.0.1:${port}`;
  const proxy = mutant && "meddler" in mutant ? await openProxy(port, mutant.meddler()) : null;
  if (proxy) undo(proxy.close);
  const url = proxy?.url ?? own;
  const server = await startServer(own, { ...env, BASE_URL: url }, { log: join(logs, "server.log"), quiet: true, code: copy.folder });
  undo(server.kill);
  return equipped(setting.equipment, { url, operator: { env, handle: "main", code: copy.folder }, logs });
}
