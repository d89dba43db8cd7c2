// Checks the headers of a deprecated operation.

import type { Operation } from "./contract.ts";
import type { Reply } from "./http-request.ts";

/** Answered by the server before it looks at the path: too many connections or requests, header lines too large, a body too slow. */
const early = [408, 431, 503];

/**
 * What is wrong with the headers by which an answer says that its operation will end (RFC 9745, RFC 8594): a deprecated operation
 * sends them on every answer, and nothing else sends them at all.
 */
export function deprecationFaults(operation: Pick<Operation, "deprecation"> | null, { status, headers }: Reply): string[] {
  const { deprecation, sunset } = headers;
  const expected = operation?.deprecation;
  const isAnnounced = deprecation !== undefined || sunset !== undefined;
  if (!expected) return isAnnounced ? ["Deprecation or Sunset, and the contract does not say that this operation ends"] : [];
  if (!isAnnounced && early.includes(status)) return [];
  return [
    ...(deprecation === `@${seconds(expected.since)}` ? [] : [`Deprecation must be the day ${expected.since}, not ${deprecation}`]),
    ...(isHttpDate(sunset) && Date.parse(sunset) / 1_000 === seconds(expected.sunset)
      ? []
      : [`Sunset must be the day ${expected.sunset}, not ${sunset}`]),
  ];
}

function seconds(day: string): number {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  return Date.UTC(year, month - 1, date) / 1_000;
}

/** As RFC 9110 5.6.7 has servers write them. */
function isHttpDate(text: unknown): text is string {
  return typeof text === "string" && /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
}
