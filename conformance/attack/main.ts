// `make attack`: what strangers and bad clients do, against a server of ours on loopback that is started for it.
// ONLY=name runs one family, SCALE=small the version that the suite runs.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createDatabase } from "../harness/server/database.ts";
import { serverEnvironment } from "../harness/server/serve.ts";
import { startServer } from "../harness/server/start-server.ts";
import type { Arena, Attack, Scale } from "./arena.ts";
import { families } from "./families.ts";
import { prepareArena } from "./prepare.ts";

const scale: Scale = process.env.SCALE === "small" ? "small" : "full";
const only = process.env.ONLY || null;

async function main(): Promise<void> {
  const names = Object.keys(families).filter((name) => only === null || name === only);
  if (names.length === 0) throw new Error(`there is no family ${only}; there are ${Object.keys(families).join(", ")}`);
  const database = await createDatabase(process.env.DATABASE_URL);
  const logs = await mkdtemp(join(tmpdir(), "namjai-attack-"));
  let failed = 0;
  let held = 0;
  try {
    const { port, env } = await serverEnvironment(database);
    const url = `http://127.0.0.1:${port}`;
    const limited = { ...env, RATE_LIMITS: "on", TTS: "off" };
    const server = await startServer(url, limited, { log: join(logs, "server.log") });
    try {
      const arena = await prepareArena({ env: limited, handle: "main" }, url);
      for (const name of names)
        for (const attack of families[name] ?? []) {
          if (await holds(arena, name, attack)) held += 1;
          else failed += 1;
        }
    } finally {
      await server.stop();
    }
  } finally {
    await database.drop();
    await rm(logs, { recursive: true });
  }
  console.log(`${held} held, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

async function holds(arena: Arena, name: string, { rule, run }: Attack): Promise<boolean> {
  const began = performance.now();
  const seen = await run(arena, scale).then(
    (words) => ({ verdict: "held", words }),
    (error: Error) => ({ verdict: "FAILED", words: error.message }),
  );
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`${seen.verdict.padEnd(7)} ${name.padEnd(20)} ${seconds.padStart(6)} s  ${rule}\n        ${seen.words}`);
  return seen.verdict === "held";
}

await main();
