// Server processes of this bench, and what each costs its machine.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { checkout, node } from "../../../suite/contract/sources.ts";
import { freePort } from "../../../suite/servers/free-port.ts";
import type { Cleanup } from "../cleanup.ts";
import { results } from "../setting.ts";

/** What the servers say in one run: each request is a line of ours. */
export const log = join(results, "create.log");

export type Program = {
  url: string;
  pid: number;
};

/** As `npm start` sets it; every server gets it. */
const flags = ["--max-semi-space-size=16"];

/** Starts our server, and resolves when it is ready. */
export async function startOurs(env: Record<string, string>, cleanup: Cleanup): Promise<Program> {
  const { program, child } = await launch(["src/main.ts"], env, cleanup);
  while (!(await isReady(program.url))) {
    if (child.exitCode !== null || child.signalCode !== null) throw endedEarly(child);
    await sleep(50);
  }
  return program;
}

/** Starts another program of this bench, and resolves with the first line that it prints. */
export async function start(words: readonly string[], env: Record<string, string>, cleanup: Cleanup): Promise<Program & { said: string }> {
  const { program, child } = await launch(words, env, cleanup);
  const line = once(child.stdout as Readable, "data").then(([said]) => String(said).trim());
  const said = await Promise.race([line, once(child, "exit").then(() => Promise.reject(endedEarly(child)))]);
  return { ...program, said };
}

type Launched = Readonly<{ program: Program; child: ChildProcess }>;

/** Starts `words` with a free PORT. What it logs goes straight into a file: nobody here reads it meanwhile. */
async function launch(words: readonly string[], env: Record<string, string>, cleanup: Cleanup): Promise<Launched> {
  const port = String(await freePort());
  const file = await open(log, "a");
  const child = spawn(node, [...flags, ...words], { cwd: checkout, env: { ...env, PORT: port }, stdio: ["ignore", "pipe", file.fd] });
  await file.close();
  const exited = once(child, "exit");
  cleanup.later(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  return { program: { url: `http://127.0.0.1:${port}`, pid: child.pid as number }, child };
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => null);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}

function endedEarly({ spawnargs }: ChildProcess): Error {
  return new Error(`${spawnargs.slice(1).join(" ")} ended at its start; bench-results/create.log says why`);
}
