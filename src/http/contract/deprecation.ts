// The headers of a deprecated operation: Deprecation (RFC 9745), Sunset (RFC 8594) and a link to the guide.

/** `x-deprecation` of an operation in the contract. Dates are days, `2026-11-01`, and begin at midnight UTC. */
export type Deprecation = Readonly<{
  /** The day from which it should no longer be used. */
  since: string;
  /** The day from which it may be removed. */
  sunset: string;
  /** The operation to use in its place. */
  instead?: string;
}>;

/** The section of the guides about deprecated operations. */
const guide = "/docs/versions#deprecated-operations";

/** The headers of each answer; null when the operation is not deprecated. */
export function deprecationHeaders(deprecation: Deprecation | undefined): Readonly<Record<string, string>> | null {
  if (!deprecation) return null;
  return Object.freeze({
    Deprecation: `@${Date.parse(deprecation.since) / 1_000}`,
    Sunset: new Date(deprecation.sunset).toUTCString(), // an HTTP-date (RFC 9110 5.6.7), by ECMA-262 21.4.4.43
    Link: `<${guide}>; rel="deprecation"; type="text/html"`,
  });
}

/** The same as Markdown, for the reference and for assistants. */
export function deprecationNote({ since, sunset, instead }: Deprecation): string {
  const replacement = instead ? ` Use \`${instead}\` instead.` : "";
  return `**Deprecated** since ${since}; may be gone from ${sunset} on.${replacement}`;
}
