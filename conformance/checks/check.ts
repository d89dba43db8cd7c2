// Runs stages of steps, as many steps at once as the machine has cores. What a failed one said stands under its name.

import { availableParallelism } from "node:os";
import { type Outcome, run } from "./run.ts";
import type { Step } from "./steps.ts";

type Done = Outcome & { step: Step };

/** Whether all steps of all stages passed; the first stage with a failure is the last that is run. */
export async function check(stages: readonly (readonly Step[])[], say: (line: string) => void): Promise<boolean> {
  for (const steps of stages) {
    const failed = (await allOf(steps, say)).filter(({ code }) => code !== 0);
    if (failed.length === 0) continue;
    for (const { step, output } of failed) say(`\n== ${step.name}: ${step.command.join(" ")}\n${output}`);
    say(`\nFailed: ${failed.map(({ step }) => step.name).join(", ")}.`);
    if (await onlyFormat(failed)) say("Run: make format");
    return false;
  }
  return true;
}

async function allOf(steps: readonly Step[], say: (line: string) => void): Promise<Done[]> {
  const waiting = [...steps.entries()];
  const done: Done[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [place, step] = next;
      const began = performance.now();
      const outcome = await run(step.command);
      done[place] = { step, ...outcome };
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      say(`${outcome.code === 0 ? "passed" : "FAILED"}  ${step.name} (${seconds} s)`);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return done;
}

/** Whether `make format` mends all that failed. */
async function onlyFormat(failed: readonly Done[]): Promise<boolean> {
  for (const { step } of failed) if (!step.exceptFormat || (await run(step.exceptFormat)).code !== 0) return false;
  return true;
}
