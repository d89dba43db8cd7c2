export const depths = ["quick", "full"] as const;

export type Depth = (typeof depths)[number];

/** How much of a full run is done. */
export type Sample = {
  /** Of a rule's values, above 0 and up to 1. */
  values: number;
  /** Of the rules. */
  rules: number;
};

export const samples: Record<Depth, Sample> = { quick: { values: 1 / 8, rules: 1 }, full: { values: 1, rules: 1 } };
