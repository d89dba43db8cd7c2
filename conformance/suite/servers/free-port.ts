// Several runs, and the workers of each, start servers at the same time, and a server binds its port seconds after it was chosen. So a
// port is reserved for the process that chose it, by a file that all processes of the machine see.

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const reservations = join(tmpdir(), "namjai-ports");
/** After this time a reservation is void: its process was killed. */
const validMs = 3_600_000;
const own: string[] = [];

/** Returns a free port below the ephemeral range: an outgoing connection could take one of that range before the server listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (reserve(port) && (await isFree(port))) return port;
  }
}

function reserve(port: number): boolean {
  const file = join(reservations, String(port));
  try {
    mkdirSync(reservations, { recursive: true });
    const reservedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - reservedAt > validMs) rmSync(file, { force: true });
    writeFileSync(file, String(process.pid), { flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOENT") return false; // reserved by another process, or the last one has deleted the folder
    throw error;
  }
  if (own.push(file) === 1) process.once("exit", release);
  return true;
}

function release(): void {
  for (const file of own) rmSync(file, { force: true });
  try {
    rmdirSync(reservations);
  } catch {
    // Others have reservations there.
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  const free = await once(server, "listening").then(
    () => true,
    () => false,
  );
  server.close();
  return free;
}
