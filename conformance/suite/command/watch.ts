// --watch: each run is a process of its own, which reads rules and contract anew and puts back what it changed on a server of someone else.

import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { existsSync, type FSWatcher, watch as watchFolder } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { checkout, hasSources } from "../contract/sources.ts";
import { print } from "../report/terminal.ts";
import { firstVariable } from "./measured.ts";
import { readRun } from "./results.ts";

const rules = ["rules", "interface", "derived", "suite", "cases"].map((name) => join("conformance", name));
const folders = ["spec", "generated", ...rules].map((name) => join(checkout, name));
const watchedFiles = /\.(tsp|ts|json)$/;
/** Editors and `make generate` write several files; a run starts when none was written for this time. */
const quietMs = 300;

/** Emits "trigger" when a run shall start and "end" when none shall. */
type Triggers = EventEmitter<{ trigger: []; end: [] }>;

/** Runs the command with these arguments now, and whenever a file changes or Enter is pressed, until a signal. Resolves to the last exit code. */
export async function watch(args: readonly string[], report: string): Promise<number> {
  const triggers: Triggers = new EventEmitter();
  let child: ChildProcess | null = null;
  let ended = false;
  let changed = false;
  let failed: string[] = [];
  triggers.on("trigger", () => void (changed = true));
  triggers.on("end", () => void (ended = true));
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      child?.kill(signal);
      triggers.emit("end");
    });
  const watchers = hasSources ? watchFiles(triggers) : [];
  for (;;) {
    changed = false;
    child = startRun(args, failed);
    const [code] = (await once(child, "exit")) as [number | null];
    failed = failedFamilies(report) ?? failed;
    if (!ended && !changed) await nextTrigger(triggers);
    while (changed && !ended && (await wasTriggeredWithin(triggers, quietMs)));
    if (!ended) continue;
    for (const watcher of watchers) watcher.close();
    return code ?? 1;
  }
}

function startRun(args: readonly string[], first: readonly string[]): ChildProcess {
  const own = [...process.execArgv, process.argv[1] ?? "", ...args.filter((word) => word !== "--watch")];
  return spawn(process.execPath, own, { stdio: "inherit", env: { ...process.env, [firstVariable]: first.join(",") } });
}

/** Rule files with a failed rule; null where the last run has no result. */
function failedFamilies(report: string): string[] | null {
  try {
    const { verdict, rules } = readRun(report);
    if (verdict === "not measurable") return null;
    return [...new Set(rules.filter(({ state }) => state === "failed").map(({ family }) => family))];
  } catch {
    return null; // it did not start
  }
}

function watchFiles(triggers: Triggers): FSWatcher[] {
  const trigger = (_: string, file: string | null): void => void (watchedFiles.test(file ?? "") && triggers.emit("trigger"));
  return folders.filter((folder) => existsSync(folder)).map((folder) => watchFolder(folder, { recursive: true }, trigger));
}

/** Waits for a change, for Enter, or for the end: of the input too, where no file is watched. */
async function nextTrigger(triggers: Triggers): Promise<void> {
  print(`waiting: ${hasSources ? "a change of spec/, generated/ or the rules, or " : ""}Enter, runs again; Ctrl-C ends`);
  const input = createInterface({ input: process.stdin });
  input.once("line", () => triggers.emit("trigger")).once("close", () => void (hasSources || triggers.emit("end")));
  await Promise.race([once(triggers, "trigger"), once(triggers, "end")]);
  input.removeAllListeners().close();
}

const wasTriggeredWithin = (triggers: Triggers, ms: number): Promise<boolean> =>
  Promise.race([once(triggers, "trigger").then(() => true), once(triggers, "end").then(() => false), sleep(ms, false)]);
