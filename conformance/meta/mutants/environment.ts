// Prepares what all mutants share: a PostgreSQL server and a template database.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createDatabase, createOnServer, type Database, databaseUrl } from "../../suite/servers/database.ts";
import { createFixtures, type Fixtures } from "../../suite/servers/fixtures.ts";
import { serverEnvironment } from "../../suite/servers/serve.ts";
import { startServer } from "../../suite/servers/start-server.ts";

/** Creates databases for mutants, as copies of a template that is migrated and has streamers, keys and clients. */
export type Environment = { newDatabase: () => Promise<Database>; equipment: Fixtures; close: () => Promise<void> };

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
