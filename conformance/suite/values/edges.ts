// Finds the edges of interface 2 that a body touches, from the bytes that were sent and not from what the test intended.

import { maxAmount, members } from "../contract/interface.ts";
import { type Json, readJson, textOfString } from "../contract/json-text.ts";
import { nextDown, nextUp, tiniest } from "./doubles.ts";
import { type Alphabet, allAlphabets, areOf } from "./text.ts";

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
