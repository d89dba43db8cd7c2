// Counts what a test tries, and finds the edges that it touches; the reporter reads it from vitest's `task.meta`.

import { AsyncLocalStorage } from "node:async_hooks";
import { maxAmount, members } from "../contract/interface.ts";
import { type Json, readJson, textOfString } from "../contract/json-text.ts";
import { nextDown, nextUp, tiniest } from "./donations.ts";
import { samples } from "./run-settings.ts";
import { running } from "./running.ts";
import { target } from "./target.ts";
import { type Alphabet, allAlphabets, areOf } from "./text.ts";

type Score = {
  /** The field that the whole test is about. */
  about?: string;
  /** Values tried, by field; "" where the rule is about no single one. */
  tried: Record<string, number>;
  /** Hits, by edge. */
  edges: Record<string, number>;
  /** Of how many values each sample was chosen. */
  chosenFrom: number[];
  /** Number of values that a quick run leaves out. */
  leftOut: number;
  /** Number of these that were to be tried, but for which there was no time. */
  leftOutForTime: number;
  /** Number of these that the depth asks for, but for which the server's rate limit leaves no time. */
  leftOutForRate: number;
};

declare module "vitest" {
  interface TaskMeta {
    score?: Score;
  }
}

/** How to take back what a value counts. */
const undoings = new AsyncLocalStorage<(() => void)[]>();

/** Counts a value that was tried for a field; the matrix rule × field shows the number. */
export function tried(field: string, count = 1): void {
  const score = scoreOfTest();
  if (score) add(score.tried, field, count);
}

function add(counts: Record<string, number>, name: string, count: number): void {
  counts[name] = (counts[name] ?? 0) + count;
  undoings.getStore()?.push(() => void (counts[name] = (counts[name] ?? 0) - count));
}

/** Tries a value; takes back what it counted as tried and as hits of edges when it throws an error that `isUntried` knows. */
export async function countedIfTried<T>(attempt: () => Promise<T>, isUntried: (error: unknown) => boolean): Promise<T> {
  const undo: (() => void)[] = [];
  try {
    return await undoings.run(undo, attempt);
  } catch (error) {
    if (isUntried(error)) for (const takeBack of undo) takeBack();
    throw error;
  }
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

/** Counts a sample of `all` values. `leftOut`: those that it does not contain; `forRate`: those of them that the server's rate limit leaves out. */
export function countSample(all: number, { leftOut, forRate }: { leftOut: number; forRate: number }): void {
  const score = scoreOfTest();
  if (!score) return;
  score.chosenFrom.push(all);
  score.leftOut += leftOut;
  score.leftOutForRate += forRate;
}

/** Counts values that were to be tried in this run, but for which there was no time. */
export function countLeftOutForTime(count: number): void {
  const score = count > 0 ? scoreOfTest() : undefined;
  if (!score) return;
  score.leftOut += count;
  score.leftOutForTime += count;
}

/** How many values of the running test were left out for want of time. */
export const leftOutForTime = (): number => running()?.meta.score?.leftOutForTime ?? 0;

/** Counts a hit of a named edge, such as "createdAt month 12". */
export function edge(name: string): void {
  const score = scoreOfTest();
  if (score) add(score.edges, name, 1);
}

/**
 * Fails unless every one of these edges was hit at least once in this test. Call at the end of the test. Does not
 * fail where the server's rate limit allows less than a quick run, or where there was no time: the report names the missed edges then.
 */
export function expectEdges(names: readonly string[]): void {
  const edges = scoreOfTest()?.edges ?? {};
  for (const name of names) edges[name] ??= 0;
  const missed = names.filter((name) => edges[name] === 0);
  if (target().sample.values < samples.quick.values || leftOutForTime() > 0) return;
  if (missed.length > 0) throw new Error(`the rule was not tried where it matters, no hit of: ${missed.join(", ")}`);
}

function scoreOfTest(): Score | undefined {
  const test = running();
  if (!test) return undefined;
  test.meta.score ??= { tried: {}, edges: {}, chosenFrom: [], leftOut: 0, leftOutForTime: 0, leftOutForRate: 0 };
  return test.meta.score;
}

// Finds the edges of interface 2 that a body touches, from the bytes that were sent and not from what the test intended.

/** The names of edges, as score.ts counts them, that a body touches. */
export function edgesOf(bytes: Uint8Array): string[] {
  const { value } = readJson(bytes);
  if (value?.type !== "object") return [];
  return value.members.flatMap(([name, member]) => edgesOfMember(name, member).map((edge) => `${name} ${edge}`));
}

/** Name of the edge, for the rules that must hit it. */
export const lengthEdge = (member: string, length: number, alphabet?: Alphabet): string =>
  `${member} length ${length}${alphabet ? ` of ${alphabet}` : ""}`;

/** Amounts at which something changes. */
const amounts = [-tiniest, 0, tiniest, nextDown(maxAmount), maxAmount, nextUp(maxAmount)];

function edgesOfMember(name: string, value: Json): string[] {
  if (value.type === "number") return amounts.includes(Number(value.text)) ? [String(Number(value.text))] : [];
  if (value.type !== "string") return [];
  return name === "createdAt" ? edgesOfTime(textOfString(value.codePoints)) : edgesOfLength(name, value.codePoints);
}

function edgesOfLength(name: string, codePoints: readonly number[]): string[] {
  const { minLength = 0, maxLength } = members.find(({ member }) => member === name) ?? {};
  const { length } = codePoints;
  if (maxLength === undefined || ![minLength, maxLength].some((bound) => Math.abs(bound - length) <= 1)) return [];
  const written = allAlphabets.filter((alphabet) => areOf(alphabet, codePoints));
  return [`length ${length}`, ...written.map((alphabet) => `length ${length} of ${alphabet}`)];
}

const countedValues: Record<string, string[]> = {
  year: ["0001", "9999"],
  month: ["00", "01", "12", "13"],
  hour: ["00", "23", "24"],
  minute: ["00", "59", "60"],
  second: ["00", "59", "60"],
  "offset hour": ["00", "23", "24"],
  "offset minute": ["00", "59", "60"],
};

/** By position; a text of another shape touches none of these. */
function edgesOfTime(text: string): string[] {
  const shape = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:Z|([+-]\d{2}):(\d{2}))$/.exec(text);
  if (!shape) return [];
  const [, year = "", month = "", day = "", hour, minute, second, fraction, offset, offsetMinute] = shape;
  const named = { year, month, hour, minute, second, "offset hour": offset?.slice(1), "offset minute": offsetMinute };
  const edges = Object.entries(named).flatMap(([part, value]) =>
    value && countedValues[part]?.includes(value) ? [`${part} ${value}`] : [],
  );
  if (fraction && fraction.length <= 10) edges.push(`fraction digits ${fraction.length}`);
  if (day === "00" || day === "01" || day >= "28")
    edges.push(month === "02" && day === "29" ? leapEdge(Number(year)) : `day ${month}-${day}`);
  return edges;
}

function leapEdge(year: number): string {
  if (year % 400 === 0) return "29 February of a year that 400 divides";
  if (year % 100 === 0) return "29 February of a century";
  return year % 4 === 0 ? "29 February of a year that 4 divides" : "29 February of a common year";
}
