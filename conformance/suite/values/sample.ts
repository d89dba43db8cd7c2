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

/** Which share of a sample is that of the rules of a file. */
export const kindOf = (file: string): "rules" | "particular" => (/^(interface|derived)\//.test(file) ? "rules" : "particular");

const maxSampled = 100;

/** Of so many values, the number that a sample contains. */
export function sampleSize({ values, fewest }: Pick<Sample, "values" | "fewest">, all: number): number {
  if (values === 1) return all;
  return Math.min(all, maxSampled, Math.max(fewest, Math.ceil(all * values)));
}
