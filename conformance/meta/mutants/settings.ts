// What `make mutants` is to do.

import type { Profile } from "../../suite/command/settings.ts";

/** A server that runs elsewhere, and the rules that it is to keep. */
export type Foreign = { url: string; profile: Profile };

export type Settings = {
  /** Names of mutants. */
  names: readonly string[];
  /** Runs every rule, not only the rule files that must fail. */
  full: boolean;
  /** Each mutant is run with each of them, and must be killed every time. */
  seeds: readonly string[];
  concurrency: number;
  /** Folder for the kill matrix and the suite's reports. */
  report: string;
  /** The server that wrong answers are put in front of; null: ours. */
  foreign: Foreign | null;
};
