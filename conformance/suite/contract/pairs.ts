// Two values of which one may not pass the other: no schema can say so. One is tried while the other is out of its way.

/** The partner of a parameter or member, by name. */
export function partnerOf(name: string): string | null {
  if (name === "from") return "to";
  if (name === "to") return "from";
  const [, end, what] = /^(min|max)((?:imum)?[A-Z].*)$/.exec(name) ?? [];
  return what === undefined ? null : `${end === "min" ? "max" : "min"}${what}`;
}

/** Whether the name is that of the lower of two. */
export const isLower = (name: string): boolean => /^(from$|min)/.test(name);
