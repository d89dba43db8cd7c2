// Starts a server on a database of its own, for one mutant or for several wrong answers of a proxy in front of it.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFixtures } from "../../suite/servers/fixtures.ts";
import { freePort } from "../../suite/servers/free-port.ts";
import { serverEnvironment } from "../../suite/servers/serve.ts";
import { startServer } from "../../suite/servers/start-server.ts";
import type { Served } from "../../suite/values/target.ts";
import type { Copy } from "./copy.ts";
import type { Environment } from "./environment.ts";
import type { Edit } from "./mutant.ts";
import type { Ports } from "./suite.ts";

/** `edit`: of the server's code; null: unchanged. `proxied`: a proxy stands in front of it, which the process of the suite opens. */
export type Trial = { edit: Edit | null; proxied: boolean; report: string };

/** The file that describes the server (SERVED), and the ports of the proxy. */
export type Started = { served: string; proxy: Ports | null };

type Undo = (step: () => unknown) => void;

/** Starts the server, uses it and stops it afterwards. */
export async function withTrial<T>(environment: Environment, copy: Copy, trial: Trial, use: (started: Started) => Promise<T>): Promise<T> {
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

async function start(
  environment: Environment,
  copy: Copy,
  { edit, proxied, undo }: Starting,
): Promise<{ served: Served } & Omit<Started, "served">> {
  if (edit) undo(await copy.edit(edit));
  const database = await environment.newDatabase();
  undo(database.drop);
  const logs = await mkdtemp(join(tmpdir(), "namjai-mutant-log-"));
  undo(() => rm(logs, { recursive: true }));
  const { port: serverPort, env } = await serverEnvironment(database);
  const proxy = proxied ? { port: await freePort(), serverPort } : null;
  const own = `http://127.0.0.1:${serverPort}`;
  const url = proxy ? `http://127.0.0.1:${proxy.port}` : own;
  const server = await startServer(own, { ...env, BASE_URL: url }, { log: join(logs, "server.log"), quiet: true, code: copy.folder });
  undo(server.kill);
  const operator = { env, handle: "main", code: copy.folder };
  return { served: await withFixtures(environment.equipment, { url, operator, logs }), proxy };
}
