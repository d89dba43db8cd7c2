// Another process that opens an embedded database, for tests.

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

/** Another process that has opened an embedded database. */
type ClientProcess = {
  url: string;
  child: ChildProcess;
  /** Makes it release the database, and waits for its end. */
  end(): Promise<void>;
};

const program = `
  import { openEmbedded } from ${JSON.stringify(new URL("../embedded.ts", import.meta.url).href)};
  const log = { info() {}, warn() {}, debug() {}, error() {} };
  const embedded = await openEmbedded({ dataDir: process.argv[1], log });
  process.on("SIGINT", () => {});
  console.log(embedded.url);
  for await (const _ of process.stdin);
  await embedded.release();`;

/** Starts a process on `dataDir` and waits until it has opened the database. */
export async function startClientProcess(dataDir: string, options: SpawnOptions = {}): Promise<ClientProcess> {
  const child = spawnClientProcess(dataDir, options);
  const [first] = await Promise.race([once(child.stdout!, "data"), once(child, "exit")]);
  if (typeof first !== "object") throw new Error(`the client process ended with ${first}`);
  const end = async () => {
    child.stdin!.end();
    await once(child, "exit");
  };
  return { url: String(first).trim(), child, end };
}

/** Starts a process on `dataDir` and returns at once. */
export function spawnClientProcess(dataDir: string, options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", program, dataDir], { stdio: ["pipe", "pipe", "inherit"], ...options });
}

/** Ends a process as a crash would. */
export async function killProcess(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}
