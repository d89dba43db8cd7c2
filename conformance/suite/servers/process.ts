// Starts further processes on the database of the server under test.

import { join } from "node:path";

import type { TestContext } from "vitest";
import { type Operator, oauth, target } from "../values/target.ts";
import { freePort } from "./free-port.ts";
import { type Server, startServer } from "./start-server.ts";

/** Another server process on the database of the server under test. */
export type Process = Server & { url: string };

/** Skips the test where the server is not ours: its rules are about processes that the suite starts on the server's database. */
export const needsOwnProcess = (context: TestContext): void =>
  void (
    target().operator ?? context.skip("not run: starts server processes of its own, and the server is not one that the suite has started")
  );

/** Starts a process with the base URL of the server under test, logging at level trace. `name`: name of its log file. */
export const startProcess = (operator: Operator, name: string, others: Record<string, string> = {}): Promise<Process> =>
  start(operator, name, { BASE_URL: target().url, ...others });

/** Starts a process as an independent server: its base URL is its own address. */
export const startIndependent = start;

async function start({ env, code }: Operator, name: string, others: Record<string, string> = {}): Promise<Process> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const log = join(oauth().logs, `${name}.log`);
  const all = { ...env, PORT: port, LOG_LEVEL: "trace", ...others };
  return { ...(await startServer(url, all, { log, quiet: true, code })), url };
}
