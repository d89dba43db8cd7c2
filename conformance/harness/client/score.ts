import { samples } from "../generators/sample.ts";
import { running } from "../server/running.ts";
import { target } from "../server/target.ts";

// What a test tells the reporter about itself, on vitest's `task.meta`.

export type Score = {
  /** The field that the whole test is about. */
  about?: string;
  /** Values tried, by field; "" where the rule is about no single one. */
  tried: Record<string, number>;
  /** Hits, by edge. */
  edges: Record<string, number>;
  /** Values left out of a run that has no time for all. */
  leftOut: number;
};

declare module "vitest" {
  interface TaskMeta {
    score?: Score;
  }
}

/** Counts a value that was tried, and for which field; shows up in the matrix rule × field. */
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
  const rest = counted === 0 ? Math.max(1, unnamed) : Math.max(0, unnamed - counted);
  return rest === 0 ? named : { ...named, [about]: rest + (named[about] ?? 0) };
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
 * Fails unless every one of these edges was hit at least once in this test. Call at the end of the test. Where the
 * server's rate limit leaves less than a quick run, the report says it instead.
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
