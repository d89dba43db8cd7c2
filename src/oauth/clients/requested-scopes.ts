// Reads which scopes a client asks for (RFC 6749 3.3): in an authorization request, in its document, and when it registers itself.

import type { Scope } from "../../http/operations.ts";

/** The known scopes that the text names; all of them without a text. When it names none, throws what `refusal` makes of the rule. */
export function readScopes(text: string | undefined, known: readonly Scope[], refusal: (rule: string) => Error): Scope[] {
  if (text === undefined) return [...known];
  const named = text.split(" ");
  const scopes = known.filter((one) => named.includes(one));
  if (scopes.length === 0) throw refusal(`scope must name some of: ${known.join(" ")}`);
  return scopes;
}
