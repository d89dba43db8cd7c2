import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Depth } from "../harness/generators/sample.ts";
import { checkout, node } from "../harness/server/start-server.ts";
import type { Rule, Verdict } from "../report/run.ts";

/** What the suite said of a server. */
export type Finding = { verdict: Verdict; reason: string | null; rules: Rule[]; errors: string[] };

export type Asking = {
  /** The file that describes the server. */
  served: string;
  /** Rule files; none: all of the profile. */
  families: readonly string[];
  depth: Depth;
  seed: string;
  /** Folder of its reports. */
  report: string;
};

const timeLimit = 20 * 60_000;

/** Runs the suite's command, profile `contract`. What it printed is in `report`/run.log. */
export async function measure({ served, families, depth, seed, report }: Asking): Promise<Finding> {
  const only = families.length > 0 ? ["--only", `/^(?:${families.join("|")})$/`] : [];
  const words = ["conformance/main.ts", "--report", report, "--seed", seed, "--depth", depth, ...only];
  const { API_URL: _url, DEPTH: _depth, ...env } = process.env;
  const child = spawn(node, words, {
    cwd: checkout,
    env: { ...env, SERVED: served },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: timeLimit,
  });
  child.stdout.pipe(createWriteStream(join(report, "run.log")));
  await once(child, "exit");
  return readEvents(join(report, "events.ndjson"));
}

type Event =
  | ({ event: "rule" } & Rule)
  | { event: "error"; message: string }
  | { event: "end"; verdict: Verdict; reason: { text: string } | null }
  | { event: "start" };

async function readEvents(file: string): Promise<Finding> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const events = lines.map((line) => JSON.parse(line) as Event);
  const end = events.find((one) => one.event === "end");
  return {
    verdict: end?.verdict ?? "not measurable",
    reason: end ? (end.reason?.text ?? null) : "the run has no end",
    rules: events.filter((one) => one.event === "rule"),
    errors: events.filter((one) => one.event === "error").map(({ message }) => message),
  };
}
