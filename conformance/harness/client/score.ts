// Counts what a test tries; the reporter reads it from vitest's `task.meta`.

import { samples } from "../generators/sample.ts";
import { running } from "../server/running.ts";
import { target } from "../server/target.ts";

export type Score = {
  /** The field that the whole test is about. */
  about?: string;
  /** Values tried, by field; "" where the rule is about no single one. */
  tried: Record<string, number>;
  /** Hits, by edge. */
  edges: Record<string, number>;
  /** Number of values that a quick run leaves out. */
  leftOut: number;
};

declare module "vitest" {
  interface TaskMeta {
    score?: Score;
  }
}

/** Counts a value that was tried for a field; the matrix rule × field shows the number. */
export function tried(field: string, count = 1): void {
  const score = scoreOfTest();
  if (score) score.tried[field] = (score.tried[field] ?? 0) + count;
}

/** Says which field the running test is about: all values count under it that `tried` does not count elsewhere. */
export function about(field: string): void {
  const score = scoreOfTest();
  if (score) score.about = field;
}

/** Counts values of a test that may or may not name their fields itself. */
export const triedUnnamed = (count: number): void => tried("", count);

/** Values tried, by field. What the test named itself counts first; "" is about no field in particular. */
export function fieldsOf({ about = "", tried }: Pick<Score, "about" | "tried">): Record<string, number> {
  const { "": unnamed = 0, ...named } = tried;
  const counted = Object.values(named).reduce((total, count) => total + count, 0);
  const uncounted = counted === 0 ? Math.max(1, unnamed) : Math.max(0, unnamed - counted);
  return uncounted === 0 ? named : { ...named, [about]: uncounted + (named[about] ?? 0) };
}

/** Counts values that a full run would have tried. */
export function countLeftOut(count: number): void {
  const score = count > 0 ? scoreOfTest() : undefined;
  if (score) score.leftOut += count;
}

/** Counts a hit of a named edge, such as "createdAt month 12". */
export function edge(name: string): void {
  const score = scoreOfTest();
  if (score) score.edges[name] = (score.edges[name] ?? 0) + 1;
}

/**
 * Fails unless every one of these edges was hit at least once in this test. Call at the end of the test. Does not
 * fail where the server's rate limit allows less than a quick run: the report names the missed edges then.
 */
export function expectEdges(names: readonly string[]): void {
  const edges = scoreOfTest()?.edges ?? {};
  for (const name of names) edges[name] ??= 0;
  const missed = names.filter((name) => edges[name] === 0);
  if (target().sample.values < samples.quick.values) return;
  if (missed.length > 0) throw new Error(`the rule was not tried where it matters, no hit of: ${missed.join(", ")}`);
}

function scoreOfTest(): Score | undefined {
  const test = running();
  if (!test) return undefined;
  test.meta.score ??= { tried: {}, edges: {}, leftOut: 0 };
  return test.meta.score;
}
