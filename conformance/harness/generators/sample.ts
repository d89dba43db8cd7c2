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
