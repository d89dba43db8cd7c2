import fc from "fast-check";

import { runs as scaled, some } from "./depth.ts";
import { triedUnnamed } from "./score.ts";
import { target } from "./target.ts";
import { traced } from "./trace.ts";

type Property<T> = (value: T) => Promise<unknown>;

/** `runs`: how many values are tried when there is time. `atOnce`: how many of them at the same time; 1 where they would disturb each other. */
export type Effort = { runs?: number; atOnce?: number };

const shrinkLimit = 20_000;
const shown = 5;

/**
 * The property holds for values of the arbitrary. They are tried at once; when one fails, the same values are tried
 * again one by one, and the failure is shrunk.
 */
export async function holds<T>(arbitrary: fc.Arbitrary<T>, property: Property<T>, effort: Effort = {}): Promise<void> {
  const { atOnce = 16 } = effort;
  const runs = scaled(effort.runs ?? 100);
  const { seed, path } = target();
  const attempt = (value: T): Promise<unknown> => traced(() => property(value));
  if (atOnce > 1 && path === null) {
    const failures = await failuresOf(fc.sample(arbitrary, { seed, numRuns: runs }), attempt, atOnce);
    triedUnnamed(runs);
    if (failures.length === 0) return;
    await shrink(arbitrary, attempt, runs);
    throw new Error(`seed ${seed}: fails only while ${atOnce} are tried at once\n  ${failures.slice(0, shown).join("\n  ")}`);
  }
  await shrink(arbitrary, attempt, runs);
  triedUnnamed(runs);
}

/** The property holds for every one of these values; for a sample of them when there is little time. */
export const holdsForAll = <T>(all: readonly T[], property: Property<T>, atOnce = 32): Promise<void> =>
  holdsForEach(some(all), property, atOnce);

/** The property holds for every one of these values, however little time there is. */
export async function holdsForEach<T>(values: readonly T[], property: Property<T>, atOnce = 32): Promise<void> {
  const failures = await failuresOf(values, (value) => traced(() => property(value)), atOnce);
  triedUnnamed(values.length);
  if (failures.length === 0) return;
  throw new Error(`${failures.length} of ${values.length} values fail, such as\n  ${failures.slice(0, shown).join("\n  ")}`);
}

async function failuresOf<T>(values: readonly T[], attempt: Property<T>, atOnce: number): Promise<string[]> {
  const failures: string[] = [];
  const rest = values.values();
  const worker = async (): Promise<void> => {
    for (const value of rest)
      await attempt(value).catch((error: unknown) =>
        failures.push(`${fc.stringify(value)}: ${error instanceof Error ? error.message : error}`),
      );
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return failures;
}

async function shrink<T>(arbitrary: fc.Arbitrary<T>, attempt: Property<T>, runs: number): Promise<void> {
  const { seed, path } = target();
  const property = fc.asyncProperty(arbitrary, async (value) => void (await attempt(value)));
  const found = await fc.check(property, { seed, path: path ?? undefined, numRuns: runs, interruptAfterTimeLimit: shrinkLimit });
  if (!found.failed) return;
  const { counterexample, counterexamplePath, numShrinks, errorInstance } = found;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(
    `fails for ${fc.stringify(counterexample?.[0])} (shrunk ${numShrinks} times)\n  replay: SEED=${seed}:${counterexamplePath} with -t "the title of this test"\n  ${reason}`,
  );
}
