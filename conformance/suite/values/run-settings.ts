// The settings of a run: its seed, how much of a full run it does, and the time limits of requests and rules.

// Reads the seed of a run.

/** `<seed>` or, to jump to one counterexample, `<seed>:<path>` as a failure prints it; without one, any seed. */
export function readSeed(text: string | undefined): { seed: number; path: string | null } {
  if (!text) return { seed: Math.floor(Math.random() * 2 ** 31), path: null };
  const [seed = "", ...path] = text.split(":");
  if (seed.trim() === "" || !Number.isInteger(Number(seed))) throw new Error(`SEED must be <number> or <number>:<path>, not "${text}"`);
  return { seed: Number(seed), path: path.length > 0 ? path.join(":") : null };
}

// Pseudo-random numbers from a seed.

/** Returns pseudo-random numbers in [0, 1), the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// The depths of a run.

export const depths = ["quick", "standard", "full"] as const;

export type Depth = (typeof depths)[number];

/** How much of a full run is done. */
export type Sample = {
  /** Of a rule's values, above 0 and up to 1. */
  values: number;
  /** A rule with no more values than these tries them all. */
  fewest: number;
  /** Of the rules of `interface/` and `derived/`. */
  rules: number;
  /** Of all other rules, those of the contract in particular. */
  particular: number;
};

export const samples: Record<Depth, Sample> = {
  quick: { values: 1 / 10, fewest: 5, rules: 1, particular: 1 / 20 },
  standard: { values: 1 / 4, fewest: 60, rules: 1, particular: 1 },
  full: { values: 1, fewest: 5, rules: 1, particular: 1 },
};

/** What a run tries where nothing limits the rate. `only`: rules or files that were named, of which a quick run tries every rule. */
export const sampleOfRun = ({ depth, only }: { depth: Depth; only: string | null }): Sample =>
  only === null ? samples[depth] : { ...samples[depth], particular: 1 };

/** Which share of a sample is that of the rules of a file. */
export const kindOf = (file: string): "rules" | "particular" => (/^(interface|derived)\//.test(file) ? "rules" : "particular");

const maxSampled = 100;

/** Of so many values, the number that a sample contains. */
export function sampleSize({ values, fewest }: Pick<Sample, "values" | "fewest">, all: number): number {
  if (values === 1) return all;
  return Math.min(all, maxSampled, Math.max(fewest, Math.ceil(all * values)));
}

// Every request and every rule has an end, and a message that names it.

/** `request`: seconds without a byte of the answer after which a request has failed. `rule`: seconds that a rule may take. */
export type TimeLimits = { request: number; rule: number };

/** A rule that needs more on a busy machine says so: `test(title, { timeout }, …)`. */
export const timeLimits: TimeLimits = { request: 60, rule: 120 };

/** Seconds that the preparation of a file's rules may take: it starts servers, and each start has a limit of its own below this one. */
export const preparationLimit = 300;

/** How long `expect.poll` waits for a state, in milliseconds: a rule about time says its own limit. */
export const stateLimitMs = 30_000;

export const ruleTookTooLong = (seconds: number): string => `the rule took longer than its limit of ${seconds} s`;

/** Replaces vitest's message, which is for programmers of tests. */
export const explainTimeout = (message: string): string =>
  message
    .replace(/^Test timed out in (\d+)ms.*$/s, (_, ms) => ruleTookTooLong(Number(ms) / 1000))
    .replace(
      /^Hook timed out in (\d+)ms.*$/s,
      (_, ms) => `the preparation of these rules took longer than its limit of ${Number(ms) / 1000} s`,
    );
