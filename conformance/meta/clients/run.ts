// Runs programs of this folder, and says what came of them; and the server that they meet: that of `make start`, with the demo streamer, on an address
// and in a folder of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { checkout, node } from "../../suite/contract/sources.ts";
import { freePort } from "../../suite/servers/start-server.ts";

/** Outcomes by step: `ok`, `– reason`, or what went wrong. */
export type Row = { tool: string; steps: Record<string, string> };

type Options = Readonly<Record<string, string>> & { output?: "all" };

export type DemoServer = {
  url: string;
  apiKey: string;
  password: string;
  /** Runs a command of the operator on its database; returns what it prints. */
  operate: (...words: string[]) => Promise<string>;
  stop: () => Promise<void>;
};

export const folder = import.meta.dirname;

/** Returns `ok`, with `output: "all"` what the program prints, or the end of what it says when it fails. Other options are variables. */
export async function run([program = "", ...words]: readonly string[], { output, ...variables }: Options = {}): Promise<string> {
  const child = start([program, ...words], variables);
  let [text, errors] = ["", ""];
  child.stdout.on("data", (part) => (text += part));
  child.stderr.on("data", (part) => (errors += part));
  const [code] = await once(child, "close");
  if (code !== 0) return `exit code ${code}: ${`${text}${errors}`.trim().slice(-1_500)}`;
  return output ? text.trim() : "ok";
}

/** Starts a program of a package, or of a path. */
export function start([program = "", ...words]: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const path = program.includes("/") ? program : `${folder}/node_modules/.bin/${program}`;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, REDOCLY_TELEMETRY: "off", ...variables };
  return spawn(path, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** Names packages with the versions that package.json pins. */
export async function versions(packages: readonly string[]): Promise<string> {
  const { dependencies } = JSON.parse(await readFile(`${folder}/package.json`, "utf8")) as { dependencies: Record<string, string> };
  return packages.map((name) => `\`${name}\` ${dependencies[name]}`).join(", ");
}

export async function startDemo(): Promise<DemoServer> {
  const dataDir = await mkdtemp(`${tmpdir()}/namjai-clients-`);
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATA_DIR: dataDir, PORT: port, RATE_LIMITS: "off", LOG_LEVEL: "warn" };
  const child = spawn(node, ["src/main.ts", "--demo"], { cwd: checkout, env, stdio: ["ignore", "ignore", "inherit"] });
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`the server did not start: exit code ${child.exitCode}`);
    await sleep(100);
  }
  const { apiKey, password } = JSON.parse(await readFile(`${dataDir}/demo.json`, "utf8"));
  return {
    ...{ url, apiKey, password },
    operate: async (...words) => {
      const command = spawn(node, ["src/cli.ts", ...words], { cwd: checkout, env, stdio: ["ignore", "pipe", "inherit"] });
      let text = "";
      command.stdout.on("data", (part) => (text += part));
      await once(command, "close");
      return text;
    },
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Returns where the streamer is sent to. */
export async function approve(address: string, password: string): Promise<string> {
  const logins = `${folder}/generated/logins.json`;
  await writeFile(logins, JSON.stringify({ main: { handle: "demo", password } }), { mode: 0o600 });
  const env = { ...process.env, OAUTH_LOGINS: logins, OAUTH_STREAMER: "main" };
  const child = spawn(node, [`${checkout}/conformance/meta/selftest/approve.ts`], { env, stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (part) => (text += part));
  child.stdin.end(address);
  await once(child, "close");
  return text.trim();
}
