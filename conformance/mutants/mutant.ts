import type { Meddler } from "./proxy.ts";

/** One exact edit of the server's code: `from` stands in `file` once. */
export type Edit = { file: string; from: string; to: string };

/** A rule that must fail: its file, and words of its title. */
export type Killer = readonly [family: string, title: RegExp];

/** A server with one thing broken: in its code, or by something in front of it that meddles with what passes. */
export type Mutant = {
  /** In words. */
  broken: string;
  killedBy: readonly Killer[];
} & ({ edit: Edit } | { meddler: () => Meddler });

/** By name. */
export type Mutants = Record<string, Mutant>;
