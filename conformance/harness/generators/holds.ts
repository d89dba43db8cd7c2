// Runs a property over generated values, and reports the smallest one that breaks it.

import fc from "fast-check";
import { noteFailure } from "../client/failure.ts";
import { countLeftOut, triedUnnamed } from "../client/score.ts";
import { traced, traceOf } from "../client/trace.ts";
import { uncounted } from "../client/traffic.ts";
import { isNotRun } from "../server/running.ts";
import { target } from "../server/target.ts";
import { keepExample, keptExamples } from "./corpus.ts";
import { runs as scaled, some } from "./depth.ts";

type Property<T> = (value: T) => Promise<unknown>;
type Broken<T> = { value: T; error: unknown };

/** `runs`: number of values in a full run. `concurrency`: how many are tried at the same time; 1 where they would affect each other. */
export type Runs = { runs?: number; concurrency?: number };

/** How long a smaller value is looked for once one fails. On a slow machine every value is tried all the same. */
const shrinkTimeoutMs = 20_000;
const maxReported = 5;

/**
 * Expects the property to hold for values of the arbitrary. They are tried concurrently; when one fails, the same values are tried
 * again one by one, and the failure is shrunk.
 */
export async function holds<T>(arbitrary: fc.Arbitrary<T>, property: Property<T>, effort: Runs = {}): Promise<void> {
  const { runs: requested = 100, concurrency = 16 } = effort;
  const runs = scaled(requested);
  countLeftOut(requested - runs);
  const { seed, path } = target();
  const attempt = (value: T): Promise<unknown> => traced(() => property(value));
  triedUnnamed(runs);
  await uncounted(() => tryKept(arbitrary, attempt));
  if (concurrency > 1 && path === null) {
    const broken = await brokenOf(fc.sample(arbitrary, { seed, numRuns: runs }), attempt, concurrency);
    if (broken.length === 0) return;
    await shrink(arbitrary, attempt, runs);
    noteBroken(`fails only while ${concurrency} are tried at once`, broken, runs);
    throw new Error(`seed ${seed}: fails only while ${concurrency} are tried at once\n  ${linesOf(broken).join("\n  ")}`);
  }
  await shrink(arbitrary, attempt, runs);
}

/** Expects the property to hold for every one of these values; a quick run tries a sample of them. */
export const holdsForAll = <T>(all: readonly T[], property: Property<T>, concurrency = 32): Promise<void> =>
  holdsForEach(some(all), property, concurrency);

/** Expects the property to hold for every one of these values, in a quick run as well. */
export async function holdsForEach<T>(values: readonly T[], property: Property<T>, concurrency = 32): Promise<void> {
  triedUnnamed(values.length);
  const broken = await brokenOf(values, (value) => traced(() => property(value)), concurrency);
  if (broken.length === 0) return;
  noteBroken("", broken, values.length);
  throw new Error(`${broken.length} of ${values.length} values fail, such as\n  ${linesOf(broken).join("\n  ")}`);
}

async function brokenOf<T>(values: readonly T[], attempt: Property<T>, concurrency: number): Promise<Broken<T>[]> {
  const broken: Broken<T>[] = [];
  const remaining = values.values();
  const worker = async (): Promise<void> => {
    for (const value of remaining)
      await attempt(value).catch((error: unknown) => {
        if (isNotRun(error)) throw error;
        broken.push({ value, error });
      });
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return broken;
}

/** Tries what broke the rule in earlier runs, before anything else and apart from the seed's values: the seed decides these alone. */
async function tryKept<T>(arbitrary: fc.Arbitrary<T>, attempt: Property<T>): Promise<void> {
  const examples = keptExamples().map((value): [T] => [value as T]);
  if (examples.length > 0) await checkAll(arbitrary, attempt, { examples, numRuns: examples.length });
}

function shrink<T>(arbitrary: fc.Arbitrary<T>, attempt: Property<T>, runs: number): Promise<void> {
  const [path] = target().path?.split("@") ?? [];
  return checkAll(arbitrary, attempt, { ...(path === undefined ? {} : { path }), numRuns: runs });
}

async function checkAll<T>(arbitrary: fc.Arbitrary<T>, attempt: Property<T>, how: fc.Parameters<[T]>): Promise<void> {
  const { seed, shrinks: isShrunk } = target();
  let failedAt: number | null = null;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    if (failedAt !== null && performance.now() - failedAt > shrinkTimeoutMs) return; // what is not tried any more does not fail
    await attempt(value).catch((error: unknown) => {
      failedAt ??= performance.now();
      throw error;
    });
  });
  const found = await fc.check(property, { seed, endOnFailure: !isShrunk, ...how });
  if (!found.failed) return;
  if (isNotRun(found.errorInstance)) throw found.errorInstance;
  if (found.counterexample !== null) keepExample(found.counterexample[0]);
  const { counterexample, counterexamplePath, numShrinks: shrinks, errorInstance: error } = found;
  const value = fc.stringify(counterexample?.[0]);
  const [, steps] = /\/\*replayPath="(.*?)"\*\//.exec(value) ?? []; // of commands: those that were run
  // A kept value is tried first whatever the seed is, so no path leads to it.
  const replay = how.examples ? String(seed) : [seed, `${counterexamplePath}${steps === undefined ? "" : `@${steps}`}`].join(":");
  const { reason, comparison, exchanges } = traceOf(error);
  noteFailure({ reason, comparison, value, shrinks, seed: replay }, exchanges);
  const message = error instanceof Error ? error.message : String(error);
  throw new Error(
    `fails for ${value} (shrunk ${shrinks} times)\n  replay: SEED='${replay}' with -t "the title of this test"\n  ${message}`,
  );
}

function noteBroken<T>(prefix: string, broken: readonly Broken<T>[], of: number): void {
  const [first, ...others] = broken;
  const { reason, comparison, exchanges } = traceOf(first?.error);
  const more = others.slice(0, maxReported).map(({ value, error }) => `${fc.stringify(value)}: ${traceOf(error).reason}`);
  const count = { failed: broken.length, of };
  const value = fc.stringify(first?.value);
  noteFailure({ reason: [prefix, reason].filter(Boolean).join(": "), comparison, value, count, others: more }, exchanges);
}

const linesOf = <T>(broken: readonly Broken<T>[]): string[] =>
  broken.slice(0, maxReported).map(({ value, error }) => `${fc.stringify(value)}: ${error instanceof Error ? error.message : error}`);
