// What every run on a server of our own finds there: streamers, keys, clients, and a database that is prepared once and copied.

import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { cli, cliAll, clientCall, clientOf, keyCall, type NewClient, overlayKeyCall, overlayKeyOf } from "../client/operator.ts";
import { scopes } from "../contract/contract.ts";
import { checkout } from "../contract/sources.ts";
import type { Client, ClientHolder, OAuth, Operator, Served, Target } from "../values/target.ts";
import { createDatabase, type Database, inheritedEnvironment } from "./database.ts";

/** What the suite needs in a database of its own and cannot create through the API. */
export type Fixtures = { keys: Target["keys"] } & { clients: Record<ClientHolder, Client> } & Pick<OAuth, "logins">;

/** Creates streamers, keys, clients and passwords in one process. */
export async function createFixtures(operator: Operator): Promise<Fixtures> {
  const creating = [...handles.map((handle) => ["streamers", "create", handle]), ...keyCalls, ...clients.map(clientCall)];
  const logins = {
    main: { handle: "main", password: `ตะวัน ${randomUUID()}` },
    other: { handle: "other", password: `จันทร์ ${randomUUID()}` },
  };
  const passwords = Object.values(logins);
  const outputs = await cliAll(
    operator,
    [...creating, ...passwords.map(({ handle }) => ["streamers", "set-password", handle])],
    [...creating.map(() => ""), ...passwords.map(({ password }) => password)],
  );
  const [firstKey, firstClient] = [handles.length, handles.length + keyCalls.length];
  return { keys: keysOf(outputs.slice(firstKey, firstClient)), clients: clientsOf(outputs.slice(firstClient, creating.length)), logins };
}

/** Describes a server of ours on a database with fixtures; `logs`: folder for logs and the file of secrets. */
export async function withFixtures(
  equipment: Fixtures,
  { url, operator, logs }: { url: string; operator: Operator; logs: string },
): Promise<Served> {
  const { keys, clients, logins } = equipment;
  const secrets = join(logs, "secrets.txt");
  await writeFile(secrets, "");
  return {
    url,
    keys,
    client: clients.confidential,
    operator,
    oauth: { clients, logins, loginCommand: null, terminal: false, secrets, logs },
  };
}

const handles = ["main", "other", "quiet"];
const both = "write:donations read:donations";
const all = scopes.join(" ");

/** In the order of `keysOf`. */
const keyCalls = [
  keyCall("main", all),
  keyCall("main", both, "second"),
  keyCall("main", "read:donations"),
  keyCall("main", "write:donations"),
  keyCall("other", all),
  keyCall("quiet", both),
  overlayKeyCall("main"),
  overlayKeyCall("other"),
];

function keysOf([main = "", second = "", readOnly = "", writeOnly = "", other = "", quiet = "", ...overlays]: string[]): Target["keys"] {
  const [overlay = "", otherOverlay = ""] = overlays.map(overlayKeyOf);
  return { main, secondApplication: second, readOnly, writeOnly, other, quiet, overlay, otherOverlay };
}

const [web, device] = ["https://client.example/callback", "http://127.0.0.1/callback"];
const ofAll = { redirectUris: [web, device], scopes: all };

/** In the order of `clientsOf`. */
const clients: NewClient[] = [
  { ...ofAll, name: 'Tip & Jar <b>"Thai"</b>' },
  { ...ofAll, name: "Second" },
  { ...ofAll, name: "Public", public: true },
  { name: "Read only", redirectUris: [web], scopes: "read:donations" },
];

function clientsOf(outputs: string[]): Record<ClientHolder, Client> {
  const [confidential, second, open, readOnly] = clients.map((client, index) => clientOf(client, outputs[index] ?? "")) as FourClients;
  return { confidential, second, public: open, readOnly };
}

type FourClients = [Client, Client, Client, Client];

// An embedded database as the server prepares it at its first start, kept for later runs: to create and to migrate one takes most of that start.

const run = promisify(execFile);
const kept = join(checkout, "node_modules/.cache/prepared-data");
const keptForMs = 7 * 86_400_000;

/** A PostgreSQL that a rule kills leaves its shared memory behind: in its own folder, which is deleted, instead of /dev/shm. */
const sharedMemory = "dynamic_shared_memory_type = mmap\n";

/** With the version of PostgreSQL in package-lock.json they decide how a new database looks. */
const sources = ["src/db/embedded", "src/db/migrations", "src/db/migrator"];

/** A migrated, embedded database: a copy of the one that an earlier run has kept, or else a new one, which is kept. */
export async function preparedDatabase(): Promise<Database> {
  const database = await createDatabase(undefined);
  const directory = database.env.DATA_DIR ?? "";
  if (!(await holdsData(directory))) return database;
  const name = await nameOfSources();
  try {
    if (await copyKept(name, directory)) return database;
    await cli({ env: { ...inheritedEnvironment(), ...database.env }, handle: "" }, "database", "migrate");
    await appendFile(join(directory, "postgres", "postgresql.conf"), sharedMemory);
    await keep(name, directory);
    return database;
  } catch (cause) {
    await database.drop();
    throw cause;
  }
}

/** False for root where others cannot enter the folder: the server keeps the data of PostgreSQL, which runs as another user, elsewhere then. */
async function holdsData(directory: string): Promise<boolean> {
  if (process.getuid?.() !== 0) return true;
  for (let at = directory; at !== dirname(at); at = dirname(at)) if (((await stat(at)).mode & 0o001) === 0) return false;
  return true;
}

/** Returns false when there is none. A copy that is incomplete, as when another run removes it meanwhile, is deleted again. */
async function copyKept(name: string, directory: string): Promise<boolean> {
  const folder = join(kept, name);
  if (!(await stat(folder).catch(() => null))) return false;
  try {
    await run("cp", ["-a", `${folder}/.`, directory]);
    await utimes(folder, new Date(), new Date());
    return true;
  } catch {
    for (const entry of await readdir(directory)) await rm(join(directory, entry), { recursive: true, force: true });
    return false;
  }
}

/** Keeps a copy of a database that is stopped, and forgets those that no run has used for a week. */
async function keep(name: string, directory: string): Promise<void> {
  await mkdir(kept, { recursive: true });
  const partial = join(kept, `${name}.${process.pid}`);
  await run("cp", ["-a", directory, partial]);
  await rm(join(partial, "postgres", "postmaster.opts"), { force: true }); // it names the port, which all copies would try first
  await rename(partial, join(kept, name)).catch(() => rm(partial, { recursive: true })); // another run was faster
  for (const entry of await readdir(kept)) {
    const { mtimeMs } = await stat(join(kept, entry)).catch(() => ({ mtimeMs: Date.now() }));
    if (mtimeMs < Date.now() - keptForMs) await rm(join(kept, entry), { recursive: true, force: true });
  }
}

/** Another user could not start PostgreSQL on the data. */
async function nameOfSources(): Promise<string> {
  const hash = createHash("sha256")
    .update(`${process.getuid?.()}\n${sharedMemory}`)
    .update(await readFile(join(checkout, "package-lock.json")));
  for (const source of sources) {
    const files = await readdir(join(checkout, source), { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    for (const path of paths.toSorted()) hash.update(path.slice(checkout.length)).update(await readFile(path));
  }
  return hash.digest("hex").slice(0, 16);
}
