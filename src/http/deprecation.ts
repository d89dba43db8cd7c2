// What an operation says of its own end: Deprecation (RFC 9745), Sunset (RFC 8594) and a link to the guide, on every answer.

/** `x-deprecation` of an operation in the contract. Dates are days, `2026-11-01`, and begin at midnight UTC. */
export type Deprecation = Readonly<{
  /** From then on it should not be used any more. */
  since: string;
  /** From then on it may be gone. */
  sunset: string;
  /** The operation to use in its place. */
  instead?: string;
}>;

/** Where the guides tell of it. */
const guide = "/docs/versions#deprecated-operations";

/** Headers of each answer; null: the operation stays. */
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
