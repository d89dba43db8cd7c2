// A Redis of a test.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@redis/client";
import type { TestContext } from "vitest";

import { freePort } from "./start-server.ts";

/** A redis-server of a single test, without persistence. */
export type Redis = {
  url: string;
  /** Runs a command on a connection of its own. */
  command: (...words: string[]) => Promise<unknown>;
  stop: () => Promise<void>;
  /** Starts it again after `stop`: empty, at the same address. */
  start: () => Promise<void>;
};

const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

/** Null without the program redis-server: rules that need it are skipped then; in CI this throws instead. */
export async function startRedis(): Promise<Redis | null> {
  if (!hasRedis && process.env.CI) throw new Error("not run: there is no redis-server (apt-get install redis-server)");
  if (!hasRedis) return null;
  const port = String(await freePort());
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  const command = (...words: string[]) => run(url, words);
  const start = async (): Promise<void> => {
    child = spawn("redis-server", ["--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"], { stdio: "ignore" });
    for (let tries = 0; (await command("PING").catch(() => null)) !== "PONG"; tries += 1) {
      if (tries === 100 || child.exitCode !== null) throw new Error("redis-server does not start");
      await sleep(50);
    }
  };
  const stop = async (): Promise<void> => {
    if (!child) return;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    child = null;
    await exited;
  };
  await start();
  return { url, command, stop, start };
}

/** The test's Redis; skips the test with a reason where there is none. */
export const redisOf = (context: TestContext, redis: Redis | null): Redis =>
  redis ?? context.skip("not run: there is no redis-server (apt-get install redis-server)");

async function run(url: string, words: string[]): Promise<unknown> {
  const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: false } });
  client.on("error", () => {});
  await client.connect();
  return client.sendCommand(words).finally(() => client.destroy());
}
