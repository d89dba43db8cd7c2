// The servers that are tested: ours, each on a database of its own, for one mutant or for several wrong answers of a proxy in front of it; or
// one that runs elsewhere.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFixtures } from "../../suite/servers/fixtures.ts";
import { freePort } from "../../suite/servers/free-port.ts";
import { serverEnvironment } from "../../suite/servers/serve.ts";
import { startServer } from "../../suite/servers/start-server.ts";
import type { Served } from "../../suite/values/target.ts";
import { type Copy, copyServer } from "./copy.ts";
import type { Environment } from "./environment.ts";
import type { Edit } from "./mutant.ts";
import type { ProxySettings } from "./proxy.ts";
import type { Foreign } from "./settings.ts";
import type { Tested } from "./suite.ts";

/** `edit`: of the server's code; null: unchanged. `proxied`: a proxy stands in front of it, which the process of the suite opens. */
export type Trial = { edit: Edit | null; proxied: boolean; report: string };

/** Where mutants are tried, one after the other. `provide` provides a server for `use`. */
export type Servers = { provide: <T>(trial: Trial, use: (tested: Tested) => Promise<T>) => Promise<T>; close: () => Promise<void> };

type Undo = (step: () => unknown) => void;

/** Servers of ours. */
export async function ownServers(environment: Environment): Promise<Servers> {
  const copy = await copyServer();
  return { provide: (trial, use) => withServer(environment, copy, trial, use), close: copy.remove };
}

/** The server that runs at this address, behind a proxy. */
export const foreignServer = (foreign: Foreign): Servers => ({
  provide: async (_trial, use) => use({ foreign, proxy: { port: await freePort(), server: foreign.url, keepsHost: false } }),
  close: async () => {},
});

/** Starts a server, uses it and stops it afterwards. */
async function withServer<T>(environment: Environment, copy: Copy, trial: Trial, use: (tested: Tested) => Promise<T>): Promise<T> {
  const steps: (() => unknown)[] = [];
  try {
    await mkdir(trial.report, { recursive: true });
    const { served, proxy } = await start(environment, copy, { ...trial, undo: (step) => steps.unshift(step) });
    const file = join(trial.report, "served.json");
    await writeFile(file, JSON.stringify(served), { mode: 0o600 });
    steps.push(() => rm(file));
    return await use({ served: file, proxy });
  } finally {
    for (const step of steps) await step();
  }
}

type Starting = Trial & { undo: Undo };
type Started = { served: Served; proxy: ProxySettings | null };

async function start(environment: Environment, copy: Copy, { edit, proxied, undo }: Starting): Promise<Started> {
  if (edit) undo(await copy.edit(edit));
  const database = await environment.newDatabase();
  undo(database.drop);
  const logs = await mkdtemp(join(tmpdir(), "namjai-mutant-log-"));
  undo(() => rm(logs, { recursive: true }));
  const { port, env } = await serverEnvironment(database);
  const own = `http://127.0.0.1:${port}`;
  const proxy = proxied ? { port: await freePort(), server: own, keepsHost: true } : null;
  const url = proxy ? `http://127.0.0.1:${proxy.port}` : own;
  const server = await startServer(own, { ...env, BASE_URL: url }, { log: join(logs, "server.log"), quiet: true, code: copy.folder });
  undo(server.kill);
  const operator = { env, handle: "main", code: copy.folder };
  return { served: await withFixtures(environment.equipment, { url, operator, logs }), proxy };
}
