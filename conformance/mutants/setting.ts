import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createDatabase, createOnServer, type Database, databaseUrl } from "../harness/server/database.ts";
import { type Equipment, equip } from "../harness/server/equipment.ts";
import { serverEnvironment } from "../harness/server/serve.ts";
import { startServer } from "../harness/server/start-server.ts";

/** A PostgreSQL for all mutants, with a database from which theirs are copied: migrated, with streamers, keys and clients. */
export type Setting = { newDatabase: () => Promise<Database>; equipment: Equipment; close: () => Promise<void> };

/** On the PostgreSQL at `url`, or on an embedded one. */
export async function prepare(url: string | undefined): Promise<Setting> {
  const logs = await mkdtemp(join(tmpdir(), "namjai-mutants-"));
  const host = url ? null : await embedded(logs);
  const address = url ?? host?.url ?? "";
  const template = await createOnServer(address);
  const equipment = await fill(template, logs);
  const close = async (): Promise<void> => {
    await template.drop();
    await host?.stop();
    await rm(logs, { recursive: true });
  };
  return { newDatabase: () => createOnServer(address, nameOf(template)), equipment, close };
}

/** A server that does nothing but keep the embedded PostgreSQL running. */
async function embedded(logs: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const database = await createDatabase(undefined);
  const { port, env } = await serverEnvironment(database);
  const server = await startServer(`http://127.0.0.1:${port}`, env, { log: join(logs, "host.log"), quiet: true });
  const stop = async (): Promise<void> => {
    await server.stop();
    await database.drop();
  };
  return { url: await databaseUrl(database.env), stop };
}

async function fill(template: Database, logs: string): Promise<Equipment> {
  const { port, env } = await serverEnvironment(template);
  const server = await startServer(`http://127.0.0.1:${port}`, env, { log: join(logs, "template.log"), quiet: true });
  try {
    return await equip({ env, handle: "main" });
  } finally {
    await server.stop();
  }
}

const nameOf = ({ env }: Database): string => new URL(env.DATABASE_URL ?? "").pathname.slice(1);
