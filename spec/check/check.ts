// `make check`: runs stages of steps, as many steps in parallel as the machine has cores, on what has changed since they passed. The output
// of a failed step is printed under its name, of others what they did not run. The exit code is 1 when one fails.

import { availableParallelism } from "node:os";
import pLimit from "p-limit";
import { type Memory, noMemory, openMemory } from "./memory.ts";
import { type Outcome, runProgram } from "./run.ts";
import { type Step, stages } from "./steps.ts";

type FinishedStep = Outcome & { step: Step };
type Runner = { print: (line: string) => void; memory?: Memory };

/** Resolves to whether all steps of all stages passed. Stages after one with a failure are not run. */
export async function runStages(stages: readonly (readonly Step[])[], { print, memory = noMemory }: Runner): Promise<boolean> {
  for (const steps of stages) {
    const failed = (await runSteps(steps, { print, memory })).filter(({ code }) => code !== 0);
    if (failed.length === 0) continue;
    for (const { step, output } of failed) print(`\n== ${step.name}: ${step.command.join(" ")}\n${output}`);
    print(`\nFailed: ${failed.map(({ step }) => step.name).join(", ")}.`);
    if (await isFixedByFormat(failed)) print("Run: make format");
    return false;
  }
  return true;
}

async function runSteps(steps: readonly Step[], { print, memory = noMemory }: Runner): Promise<FinishedStep[]> {
  const inTurn = pLimit(Math.max(2, availableParallelism()));
  return inTurn.map(steps, async (step) => {
    const began = performance.now();
    const unchecked = await memory.unchecked(step);
    const outcome = await runOn(unchecked, step.command);
    if (outcome.code === 0 && unchecked.length > 0) await memory.notePassed(step);
    const how = unchecked.length === 0 ? "nothing has changed" : `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    print(`${outcome.code === 0 ? "passed" : "FAILED"}  ${step.name} (${how})`);
    if (outcome.code === 0) for (const line of outcome.output.split("\n")) if (line.startsWith("not run: ")) print(`        ${line}`);
    return { step, ...outcome };
  });
}

async function runOn(unchecked: readonly string[] | "all", command: readonly string[]): Promise<Outcome> {
  if (unchecked === "all") return runProgram(command);
  return unchecked.length === 0 ? { code: 0, output: "" } : runProgram([...command, ...unchecked]);
}

/** Whether `make format` fixes every failed step. */
async function isFixedByFormat(failed: readonly FinishedStep[]): Promise<boolean> {
  for (const { step } of failed) if (!step.exceptFormat || (await runProgram(step.exceptFormat)).code !== 0) return false;
  return true;
}

if (import.meta.main) process.exit((await runStages(stages, { print: console.log, memory: await openMemory() })) ? 0 : 1);
