// What a client is told whose credential is not enough (RFC 6750 3, RFC 9728 5.1): where to find out how to get one that is.

import type { Authenticator } from "../http/guards.ts";
import { lacking } from "../http/guards.ts";
import type { Principal, Scope } from "../http/operations.ts";
import { Problem, withHeaders } from "../http/problem.ts";

/** The same, with challenges that name the metadata of our resource. */
export function challenging(authenticator: Authenticator, metadataUrl: string): Authenticator {
  return {
    ...authenticator,
    verify: async (authorization) => {
      try {
        return await authenticator.verify(authorization);
      } catch (error) {
        throw error instanceof Problem ? withMetadata(error, metadataUrl) : error;
      }
    },
  };
}

/**
 * Throws insufficient_scope. The challenge names the scopes that the credential has as well: a client that asks for a new token
 * may ask for exactly these, and would lose what it could do before.
 */
export function requireScopes(needed: readonly Scope[], { scopes }: Principal, metadataUrl: string): void {
  if (needed.every((scope) => scopes.includes(scope))) return;
  const wanted = [...new Set([...scopes, ...needed])].join(" ");
  const challenge = `Bearer error="insufficient_scope", scope="${wanted}"`;
  throw withMetadata(withHeaders(lacking(needed), { [header]: challenge }), metadataUrl);
}

const header = "WWW-Authenticate";

function withMetadata(problem: Problem, metadataUrl: string): Problem {
  const challenge = problem.extras.headers?.[header];
  if (challenge === undefined) return problem;
  const parameters = [`resource_metadata="${metadataUrl}"`, challenge.replace(/^Bearer ?/, "")].filter(Boolean).join(", ");
  return withHeaders(problem, { [header]: `Bearer ${parameters}` });
}
