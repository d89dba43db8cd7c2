// Runs stages of steps, as many steps in parallel as the machine has cores. The output of a failed step is printed under its name,
// of others what they did not run.

import { availableParallelism } from "node:os";
import { type Outcome, runProgram } from "./run.ts";
import type { Step } from "./steps.ts";

type FinishedStep = Outcome & { step: Step };

/** Resolves to whether all steps of all stages passed. Stages after one with a failure are not run. */
export async function runStages(stages: readonly (readonly Step[])[], print: (line: string) => void): Promise<boolean> {
  for (const steps of stages) {
    const failed = (await runSteps(steps, print)).filter(({ code }) => code !== 0);
    if (failed.length === 0) continue;
    for (const { step, output } of failed) print(`\n== ${step.name}: ${step.command.join(" ")}\n${output}`);
    print(`\nFailed: ${failed.map(({ step }) => step.name).join(", ")}.`);
    if (await isFixedByFormat(failed)) print("Run: make format");
    return false;
  }
  return true;
}

async function runSteps(steps: readonly Step[], say: (line: string) => void): Promise<FinishedStep[]> {
  const waiting = [...steps.entries()];
  const done: FinishedStep[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [place, step] = next;
      const began = performance.now();
      const outcome = await runProgram(step.command);
      done[place] = { step, ...outcome };
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      say(`${outcome.code === 0 ? "passed" : "FAILED"}  ${step.name} (${seconds} s)`);
      if (outcome.code === 0) for (const line of outcome.output.split("\n")) if (line.startsWith("not run: ")) say(`        ${line}`);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return done;
}

/** Whether `make format` fixes every failed step. */
async function isFixedByFormat(failed: readonly FinishedStep[]): Promise<boolean> {
  for (const { step } of failed) if (!step.exceptFormat || (await runProgram(step.exceptFormat)).code !== 0) return false;
  return true;
}
