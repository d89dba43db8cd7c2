import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Depth } from "../harness/generators/sample.ts";
import { checkout, node } from "../harness/server/start-server.ts";
import { parseEvents } from "../report/events.ts";
import type { Rule, Verdict } from "../report/run.ts";

// Runs the suite's command against a running server and reads its events.

/** The result of a run of the suite. */
export type Finding = { verdict: Verdict; reason: string | null; rules: Rule[]; errors: string[] };

export type SuiteOptions = {
  /** The file that describes the server (SERVED). */
  served: string;
  /** Rule families to run; all of the profile when empty. */
  families: readonly string[];
  depth: Depth;
  seed: string;
  /** Folder for its reports. */
  report: string;
  /** Name of the mutant; null: the unchanged server. */
  name: string | null;
};

const timeoutMs = 20 * 60_000;

/** Runs the suite's command with profile `contract`. Its output is written to run.log in the folder `report`. */
export async function runSuite({ served, families, depth, seed, report, name }: SuiteOptions): Promise<Finding> {
  const only = families.length > 0 ? ["--only", `/^(?:${families.join("|")})$/`] : [];
  const words = ["conformance/main.ts", "--report", report, "--seed", seed, "--depth", depth, "--no-corpus", ...only];
  const { API_URL: _url, DEPTH: _depth, ...env } = process.env;
  const child = spawn(node, words, {
    cwd: checkout,
    env: { ...env, SERVED: served, MUTANT: name ?? "" },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: timeoutMs,
  });
  child.stdout.pipe(createWriteStream(join(report, "run.log")));
  await once(child, "exit");
  return readEvents(join(report, "events.ndjson"));
}

async function readEvents(file: string): Promise<Finding> {
  const events = parseEvents(await readFile(file, "utf8"));
  const end = events.find((one) => one.event === "end");
  return {
    verdict: end?.verdict ?? "not measurable",
    reason: end ? (end.reason?.text ?? null) : "the run ended without a result",
    rules: events.filter((one) => one.event === "rule"),
    errors: events.filter((one) => one.event === "error").map(({ message }) => message),
  };
}
