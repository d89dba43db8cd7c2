// Bounds of values in the contract's schemas, as forms show them.

/** The parts of a schema that the program reads itself. */
export type Schema = Readonly<{ properties?: Readonly<Record<string, Bounds>> }>;

/** The bounds of a value in a schema. */
export type Bounds = Readonly<{
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  default?: unknown;
  /** The kinds of value that are allowed, such as a number and null. */
  anyOf?: readonly Bounds[];
}>;

/** The bounds of a member. If the member may be null, they are those of its other type. */
export function boundsOf(member: Bounds | undefined): Bounds {
  return member?.anyOf?.[0] ?? member ?? {};
}
