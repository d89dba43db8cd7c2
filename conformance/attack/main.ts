// `make attack`: runs every attack against a server on loopback that is started for it.
// ONLY=name runs one family; SCALE=small runs the smaller version that the conformance suite runs. NODE_OPTIONS is the server's, too.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createDatabase } from "../suite/servers/database.ts";
import { serverEnvironment } from "../suite/servers/serve.ts";
import { startServer } from "../suite/servers/start-server.ts";
import { type Attack, type AttackedServer, notRunReason, prepareAttackedServer, type Scale } from "./attack.ts";
import { families } from "./families.ts";

type Verdict = "passed" | "failed" | "not run";

const scale: Scale = process.env.SCALE === "small" ? "small" : "full";
const { ONLY, NODE_OPTIONS } = process.env;
const only = ONLY || null;

async function main(): Promise<void> {
  const names = Object.keys(families).filter((name) => only === null || name === only);
  if (names.length === 0) throw new Error(`There is no attack family "${only}". The families are ${Object.keys(families).join(", ")}`);
  const database = await createDatabase(process.env.DATABASE_URL);
  const logs = await mkdtemp(join(tmpdir(), "namjai-attack-"));
  const counts: Record<Verdict, number> = { passed: 0, failed: 0, "not run": 0 };
  try {
    const { port, env } = await serverEnvironment(database);
    const url = `http://127.0.0.1:${port}`;
    const limited = { ...env, RATE_LIMITS: "on", TTS: "off", ...(NODE_OPTIONS && { NODE_OPTIONS }) };
    const server = await startServer(url, limited, { log: join(logs, "server.log") });
    try {
      const attacked = await prepareAttackedServer({ env: limited, handle: "main" }, { ...server, url });
      for (const name of names) for (const attack of families[name] ?? []) counts[await runAttack(attacked, name, attack)] += 1;
    } finally {
      await server.stop();
    }
  } finally {
    await database.drop();
    await rm(logs, { recursive: true });
  }
  console.log(`${counts.passed} rules passed, ${counts.failed} failed, ${counts["not run"]} not run`);
  if (counts.failed > 0) process.exitCode = 1;
}

async function runAttack(server: AttackedServer, name: string, attack: Attack): Promise<Verdict> {
  const began = performance.now();
  const { verdict, detail } = await resultOf(server, attack);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`${verdict.padEnd(7)} ${name.padEnd(20)} ${seconds.padStart(6)} s  ${attack.rule}\n        ${detail}`);
  return verdict;
}

async function resultOf(server: AttackedServer, attack: Attack): Promise<{ verdict: Verdict; detail: string }> {
  const reason = notRunReason(attack, scale);
  if (reason !== null) return { verdict: "not run", detail: reason };
  return attack.run(server, scale).then(
    (detail) => ({ verdict: "passed", detail }),
    (error: Error) => ({ verdict: "failed", detail: error.message }),
  );
}

await main();
