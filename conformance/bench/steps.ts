// `make bench`, the steps part: each thing that was taken out of a request's way, beside what it does now.
//   ROUNDS=9   rounds of each, in turn

import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { promisify } from "node:util";
import { addStreamer } from "../harness/server/operator.ts";
import { checkout, node } from "../harness/server/start-server.ts";
import type { Cleanup } from "./cleanup.ts";
import { emptySetting } from "./setting.ts";
import { table } from "./table.ts";

/** A way to do it, and its median in microseconds each. */
type Timed = { how: string; us: number };
type Step = { name: string; before: Timed; now: Timed; ratio: number };

export type StepsMeasured = { rounds: number; steps: readonly Step[]; load: [number, number] };

export type StepsOptions = { rounds: number; databaseUrl: string | undefined };

const handle = "steps";

/** src/steps.ts does the work: it may import what the server is made of. */
export async function measureSteps({ rounds, databaseUrl }: StepsOptions, cleanup: Cleanup): Promise<StepsMeasured> {
  const loadBefore = loadavg()[0] as number;
  const { operator } = await emptySetting(databaseUrl, cleanup);
  await addStreamer(operator, handle);
  const options = { cwd: checkout, env: operator.env, signal: cleanup.ended };
  const { stdout } = await promisify(execFile)(node, ["src/steps.ts", handle, String(rounds)], options);
  return { rounds, steps: JSON.parse(stdout), load: [loadBefore, loadavg()[0] as number] };
}

export function stepsText({ rounds, steps, load }: StepsMeasured): string[] {
  const head = ["step", "before", "µs", "now", "µs", "ratio"];
  const cells = steps.map(({ name, before, now, ratio }) => [name, before.how, us(before.us), now.how, us(now.us), ratio.toFixed(1)]);
  return [
    `What a request did before, and what it does now: medians of ${rounds} rounds in turn.`,
    "Recording does not wait for the disk here: that costs the same either way.",
    `Load average ${load[0].toFixed(1)} before, ${load[1].toFixed(1)} after.`,
    "",
    table([head, ...cells]),
  ];
}

function us(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}
