import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

/** Another process that holds an embedded database, for tests. */
export interface Companion {
  url: string;
  child: ChildProcess;
  /** Lets it release the database and waits for its end. */
  leave(): Promise<void>;
}

const HOLD = `
  import { openEmbedded } from ${JSON.stringify(new URL("../embedded.ts", import.meta.url).href)};
  const log = { info() {}, warn() {}, debug() {}, error() {} };
  const embedded = await openEmbedded({ dataDir: process.argv[1], log });
  process.on("SIGINT", () => {});
  console.log(embedded.url);
  for await (const _ of process.stdin);
  await embedded.release();`;

/** Starts a companion on `dataDir` and waits until it has the database. */
export async function accompany(dataDir: string, options: SpawnOptions = {}): Promise<Companion> {
  const child = hold(dataDir, options);
  const [first] = await Promise.race([once(child.stdout!, "data"), once(child, "exit")]);
  if (typeof first !== "object") throw new Error(`the companion ended with ${first}`);
  const leave = async () => {
    child.stdin!.end();
    await once(child, "exit");
  };
  return { url: String(first).trim(), child, leave };
}

/** Starts a companion and returns at once. */
export function hold(dataDir: string, options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", HOLD, dataDir], { stdio: ["pipe", "pipe", "inherit"], ...options });
}

/** Ends a process as a crash would. */
export async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}
