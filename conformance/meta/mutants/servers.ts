// Where mutants are tried: servers of ours on copies of one database, with an edit of their code or behind a proxy, or one that runs elsewhere.

import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "../../suite/contract/sources.ts";
import { createDatabase, createOnServer, type Database, databaseUrl } from "../../suite/servers/database.ts";
import { createFixtures, type Fixtures, withFixtures } from "../../suite/servers/fixtures.ts";
import { serverEnvironment } from "../../suite/servers/serve.ts";
import { freePort, startServer } from "../../suite/servers/start-server.ts";
import type { Served } from "../../suite/values/target.ts";
import { applyEdit, type Edit } from "./mutant.ts";
import type { ProxySettings } from "./proxy.ts";
import type { Foreign, Tested } from "./suite.ts";

/** `edit`: of the server's code; null: unchanged. `proxied`: a proxy stands in front of it, which the process of the suite opens. */
type Trial = { edit: Edit | null; proxied: boolean; report: string };

/** Where mutants are tried, one after the other. `provide` provides a server for `use`. */
export type Servers = { provide: <T>(trial: Trial, use: (tested: Tested) => Promise<T>) => Promise<T>; close: () => Promise<void> };

/** A copy of the server's code. It is reused for many mutants, so that Node's compile cache stays valid. */
type Copy = {
  folder: string;
  /** Applies the edit. Resolves to a function that undoes it. */
  edit: (edit: Edit) => Promise<() => Promise<void>>;
  remove: () => Promise<void>;
};

type Undo = (step: () => unknown) => void;

/** Servers of ours. */
export async function ownServers(environment: Environment): Promise<Servers> {
  const copy = await copyServer();
  return { provide: (trial, use) => withServer(environment, copy, trial, use), close: copy.remove };
}

async function copyServer(): Promise<Copy> {
  const folder = await mkdtemp(join(tmpdir(), "namjai-mutant-"));
  for (const part of ["src", "generated", "package.json", "CHANGELOG.md"])
    await cp(join(checkout, part), join(folder, part), { recursive: true });
  await symlink(join(checkout, "node_modules"), join(folder, "node_modules"));
  return { folder, edit: (edit) => editIn(folder, edit), remove: () => rm(folder, { recursive: true }) };
}

async function editIn(folder: string, edit: Edit): Promise<() => Promise<void>> {
  const path = join(folder, edit.file);
  const before = await readFile(path, "utf8");
  await writeFile(path, applyEdit(before, edit));
  return () => writeFile(path, before);
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

/** Creates databases for mutants, as copies of a template that is migrated and has streamers, keys and clients. */
type Environment = { newDatabase: () => Promise<Database>; equipment: Fixtures; close: () => Promise<void> };

/** Prepares the environment on the PostgreSQL at `url`, or on an embedded one. */
export async function prepareEnvironment(url: string | undefined): Promise<Environment> {
  const logs = await mkdtemp(join(tmpdir(), "namjai-mutants-"));
  const host = url ? null : await startEmbedded(logs);
  const address = url ?? host?.url ?? "";
  const template = await createOnServer(address);
  const equipment = await fillTemplate(template, logs);
  const close = async (): Promise<void> => {
    await template.drop();
    await host?.stop();
    await rm(logs, { recursive: true });
  };
  return { newDatabase: () => createOnServer(address, nameOf(template)), equipment, close };
}

/** Starts a server whose only purpose is to keep the embedded PostgreSQL running. */
async function startEmbedded(logs: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const database = await createDatabase(undefined);
  const { port, env } = await serverEnvironment(database);
  const server = await startServer(`http://127.0.0.1:${port}`, env, { log: join(logs, "host.log"), quiet: true });
  const stop = async (): Promise<void> => {
    await server.stop();
    await database.drop();
  };
  return { url: await databaseUrl(database.env), stop };
}

async function fillTemplate(template: Database, logs: string): Promise<Fixtures> {
  const { port, env } = await serverEnvironment(template);
  const server = await startServer(`http://127.0.0.1:${port}`, env, { log: join(logs, "template.log"), quiet: true });
  try {
    return await createFixtures({ env, handle: "main" });
  } finally {
    await server.stop();
  }
}

const nameOf = ({ env }: Database): string => new URL(env.DATABASE_URL ?? "").pathname.slice(1);
