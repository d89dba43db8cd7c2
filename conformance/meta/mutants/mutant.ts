// The shape of a mutant: a server with one thing broken.

import type { Interceptor } from "./proxy.ts";

/** One exact edit of the server's code: `from` occurs in `file` exactly once. */
export type Edit = { file: string; from: string; to: string };

/** A rule that must fail: its family and a pattern of its title. */
export type Killer = readonly [family: string, title: RegExp];

/** A server with one thing broken, by an edit of its code or by an interceptor between suite and server. */
export type Mutant = {
  /** What is broken, in words. */
  broken: string;
  killedBy: readonly Killer[];
} & ({ edit: Edit } | { interceptor: () => Interceptor });

/** Mutants by name. */
export type Mutants = Record<string, Mutant>;
