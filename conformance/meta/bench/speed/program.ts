// Server processes of this bench, and what each costs its machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { checkout, node } from "../../../suite/contract/sources.ts";
import { freePort } from "../../../suite/servers/free-port.ts";
import type { Cleanup } from "../cleanup.ts";
import { results } from "../setting.ts";

/** What the servers say in one run: each request is a line of ours. */
export const log = join(results, "create.log");

export type Program = {
  url: string;
  pid: number;
  /** The first line of its output. */
  said: string;
};

/** As `npm start` sets it; every server gets it. */
const flags = ["--max-semi-space-size=16"];

/** Starts `words` with a free PORT, and resolves at its first line. What it logs goes straight into a file: nobody here reads it meanwhile. */
export async function start(words: readonly string[], env: Record<string, string>, cleanup: Cleanup): Promise<Program> {
  const port = String(await freePort());
  const file = await open(log, "a");
  const child = spawn(node, [...flags, ...words], { cwd: checkout, env: { ...env, PORT: port }, stdio: ["ignore", "pipe", file.fd] });
  await file.close();
  const exited = once(child, "exit");
  cleanup.later(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  const said = await Promise.race([
    once(child.stdout as Readable, "data").then(([line]) => String(line).trim()),
    exited.then(() => Promise.reject(new Error(`${words.join(" ")} ended at its start; bench-results/create.log says why`))),
  ]);
  return { url: `http://127.0.0.1:${port}`, pid: child.pid as number, said };
}
