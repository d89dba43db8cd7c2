// Runs a property over generated values, and reports the smallest one that breaks it.

import fc from "fast-check";
import { dropExample, keepExample, keptExamples, NotACase } from "../values/corpus.ts";
import { asFurtherValue, countSampled, isTimeOver, isValueLeftOut, runs as scaled, some } from "../values/depth.ts";
import { isNotRun } from "../values/running.ts";
import { countLeftOutForTime, leftOutForTime, triedUnnamed } from "../values/score.ts";
import { target } from "../values/target.ts";
import { noteFailure } from "./failure.ts";
import { traced, traceOf, uncounted } from "./trace.ts";

type Property<T> = (value: T) => Promise<unknown>;
type Broken<T> = { value: T; error: unknown };

/** `tried`: number of values that there was time for. */
type Tried<T> = { broken: Broken<T>[]; tried: number };

/** `runs`: number of values in a full run. `concurrency`: how many are tried at the same time; 1 where they would affect each other. */
type Runs = { runs?: number; concurrency?: number };

/** How long a smaller value is looked for once one fails. On a slow machine every value is tried all the same. */
const shrinkTimeoutMs = 10_000;
/** Characters of a path that a failure prints. What is left out of a longer one is found again: it is shrunk from there. */
const maxPathLength = 40;
const maxReported = 5;

/**
 * Expects the property to hold for values of the arbitrary. They are tried concurrently; when one fails, the same values are tried
 * again one by one, and the failure is shrunk. When the time of a quick run is over, the rule tries no further
 * value, here and in what it calls after this, and nothing is shrunk.
 */
export async function holds<T>(arbitrary: fc.Arbitrary<T>, property: Property<T>, effort: Runs = {}): Promise<void> {
  const { runs: requested = 100, concurrency = 16 } = effort;
  const runs = scaled(requested);
  countSampled(requested, runs);
  const { seed, path } = target();
  const attempt = (value: T): Promise<unknown> => traced(() => property(value));
  if (leftOutForTime() > 0) return countLeftOutForTime(runs);
  triedUnnamed(runs);
  await uncounted(() => tryKept(arbitrary, attempt));
  if (concurrency === 1 || path !== null) return countUntried(runs - (await shrink(arbitrary, attempt, runs)));
  const { broken, tried } = await tryAll(fc.sample(arbitrary, { seed, numRuns: runs }), attempt, concurrency);
  countUntried(runs - tried);
  if (broken.length === 0) return;
  const allOneByOne = tried === runs && (await shrink(arbitrary, attempt, runs)) === runs;
  throwBroken(allOneByOne ? `fails only while ${concurrency} are tried at once` : "", broken, tried);
}

/** Expects the property to hold for every one of these values; a quick run tries a sample of them. */
export const holdsForAll = <T>(all: readonly T[], property: Property<T>): Promise<void> => holdsForEach(some(all), property);

/** Expects the property to hold for every one of these values, in a quick run as well. */
export async function holdsForEach<T>(values: readonly T[], property: Property<T>, concurrency = 32): Promise<void> {
  if (leftOutForTime() > 0) return countLeftOutForTime(values.length);
  triedUnnamed(values.length);
  const { broken, tried } = await tryAll(values, (value) => traced(() => property(value)), concurrency);
  countUntried(values.length - tried);
  if (broken.length > 0) throwBroken("", broken, tried);
}

/** Tries the values, `concurrency` at a time, until the time is over; the first one in any case. */
async function tryAll<T>(values: readonly T[], attempt: Property<T>, concurrency: number): Promise<Tried<T>> {
  const broken: Broken<T>[] = [];
  let [started, leftOut] = [0, 0];
  const remaining = values.values();
  const tryValue = (value: T): Promise<unknown> => {
    started += 1;
    return started === 1 ? attempt(value) : asFurtherValue(() => attempt(value));
  };
  const worker = async (): Promise<void> => {
    for (const value of remaining) {
      if (started > 0 && isTimeOver()) return;
      await tryValue(value).catch((error: unknown) => {
        if (isNotRun(error)) throw error;
        if (isValueLeftOut(error)) leftOut += 1;
        else broken.push({ value, error });
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { broken, tried: started - leftOut };
}

/** Takes back from the values that were counted as tried those that there was no time for. */
function countUntried(count: number): void {
  triedUnnamed(-count);
  countLeftOutForTime(count);
}

/** Tries what broke the rule in earlier runs, before anything else and apart from the seed's values: the seed decides these alone. */
async function tryKept<T>(arbitrary: fc.Arbitrary<T>, attempt: Property<T>): Promise<void> {
  const examples = keptExamples().map((value): [T] => [value as T]);
  const tryCase = (value: T): Promise<unknown> =>
    attempt(value).catch((error: unknown) => {
      if (!(error instanceof NotACase)) throw error;
      dropExample(value, traceOf(error).reason);
    });
  if (examples.length > 0) await checkAll(arbitrary, tryCase, { examples, numRuns: examples.length });
}

/** Tries values one by one, and shrinks the first that fails. Resolves to the number of those that there was time for. */
function shrink<T>(arbitrary: fc.Arbitrary<T>, attempt: Property<T>, runs: number): Promise<number> {
  const [path] = target().path?.split("@") ?? [];
  return checkAll(arbitrary, attempt, { ...(path === undefined ? {} : { path }), numRuns: runs });
}

async function checkAll<T>(arbitrary: fc.Arbitrary<T>, attempt: Property<T>, how: fc.Parameters<[T]>): Promise<number> {
  const { seed, shrinks: isShrunk } = target();
  let failedAt: number | null = null;
  let tried = 0;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    if (failedAt !== null && performance.now() - failedAt > shrinkTimeoutMs) return; // what is not tried any more does not fail
    if (tried > 0 && isTimeOver()) return;
    tried += 1;
    await (tried === 1 ? attempt(value) : asFurtherValue(() => attempt(value))).catch((error: unknown) => {
      if (isValueLeftOut(error)) return void (tried -= 1);
      failedAt ??= performance.now();
      throw error;
    });
  });
  const found = await fc.check(property, { seed, endOnFailure: !isShrunk, ...how });
  if (!found.failed) return tried;
  if (isNotRun(found.errorInstance)) throw found.errorInstance;
  if (found.counterexample !== null) keepExample(found.counterexample[0]);
  const { counterexample, counterexamplePath, numShrinks: shrinks, errorInstance: error } = found;
  const value = fc.stringify(counterexample?.[0]);
  // A kept value is tried first whatever the seed is, so no path leads to it.
  const replay = how.examples ? String(seed) : `${seed}:${shortPath(counterexamplePath ?? "", value)}`;
  const { reason, comparison, exchanges, shown } = traceOf(error);
  noteFailure({ reason, comparison, value: shown ?? value, shrinks, seed: replay }, exchanges);
  const message = error instanceof Error ? error.message : String(error);
  throw new Error(
    `fails for ${value} (shrunk ${shrinks} times)\n  replay: SEED='${replay}' with -t "the title of this test"\n  ${message}`,
  );
}

/** A path to the value or, where that would be long, to a larger one that fails as well. */
function shortPath(path: string, value: string): string {
  const [, steps] = /\/\*replayPath="(.*?)"\*\//.exec(value) ?? []; // of commands: those that were run
  const whole = steps === undefined ? path : `${path}@${steps}`;
  return whole.length <= maxPathLength ? whole : path.slice(0, maxPathLength + 1).replace(/:[^:]*$/, "");
}

function throwBroken<T>(prefix: string, broken: readonly Broken<T>[], of: number): never {
  const [first, ...others] = broken;
  const { reason, comparison, exchanges } = traceOf(first?.error);
  const more = others.slice(0, maxReported).map((one) => `${shownOf(one)}: ${traceOf(one.error).reason}`);
  const count = { failed: broken.length, of };
  const value = first ? shownOf(first) : "";
  noteFailure({ reason: [prefix, reason].filter(Boolean).join(": "), comparison, value, count, others: more }, exchanges);
  const heading = prefix === "" ? `${broken.length} of ${of} values fail, such as` : `seed ${target().seed}: ${prefix}`;
  throw new Error(`${heading}\n  ${linesOf(broken).join("\n  ")}`);
}

const shownOf = <T>({ value, error }: Broken<T>): string => traceOf(error).shown ?? fc.stringify(value);

const linesOf = <T>(broken: readonly Broken<T>[]): string[] =>
  broken.slice(0, maxReported).map(({ value, error }) => `${fc.stringify(value)}: ${error instanceof Error ? error.message : error}`);
