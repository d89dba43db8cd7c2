// The metadata of /mcp as a protected resource (RFC 9728), and challenges for a missing credential or scope (RFC 6750 3) that name it: there a
// client learns how to get a token (RFC 9728 5.1).

import type { Contract } from "../http/contract/contract.ts";
import { type Authenticator, insufficientScope } from "../http/guards.ts";
import type { Handler, Principal, Scope } from "../http/operations.ts";
import { Problem, withHeaders } from "../http/problem.ts";
import { scopesOfTools } from "./tools.ts";

/** The metadata's address, which challenges name. */
export function metadataUrl(baseUrl: string): string {
  return `${baseUrl}/.well-known/oauth-protected-resource/mcp`;
}

export const getResourceMetadata =
  ({ baseUrl }: { baseUrl: string }, { operations }: Contract): Handler<"getResourceMetadata"> =>
  async () => ({
    status: 200,
    headers: { "Cache-Control": "public, max-age=300" },
    body: {
      resource: `${baseUrl}/mcp`,
      authorization_servers: [baseUrl],
      scopes_supported: scopesOfTools(operations),
      bearer_methods_supported: ["header"],
      resource_documentation: `${baseUrl}/docs/mcp`,
    },
  });

/** The same authenticator, with challenges that name the metadata of /mcp, and the scopes to ask for. */
export function withChallenges(authenticator: Authenticator, metadataUrl: string, scopes: readonly Scope[]): Authenticator {
  return {
    ...authenticator,
    verify: async (authorization) => {
      try {
        return await authenticator.verify(authorization);
      } catch (error) {
        throw error instanceof Problem ? withMetadata(error, metadataUrl, `scope="${scopes.join(" ")}"`) : error;
      }
    },
  };
}

/**
 * Throws insufficient_scope. The challenge also names the scopes that the credential has, because a client may request exactly the named
 * scopes and would otherwise lose the ones it had.
 */
export function requireScopes(needed: readonly Scope[], { scopes }: Principal, metadataUrl: string): void {
  if (needed.every((scope) => scopes.includes(scope))) return;
  const wantedScopes = [...new Set([...scopes, ...needed])].join(" ");
  const challenge = `Bearer error="insufficient_scope", scope="${wantedScopes}"`;
  throw withMetadata(withHeaders(insufficientScope(needed), { [header]: challenge }), metadataUrl);
}

const header = "WWW-Authenticate";

function withMetadata(problem: Problem, metadataUrl: string, scope = ""): Problem {
  const challenge = problem.extras.headers?.[header];
  if (challenge === undefined) return problem;
  const parameters = [`resource_metadata="${metadataUrl}"`, scope, challenge.replace(/^Bearer ?/, "")].filter(Boolean).join(", ");
  return withHeaders(problem, { [header]: `Bearer ${parameters}` });
}
