// The metadata of /mcp as a protected resource (RFC 9728).

import type { Handler, Scope } from "../http/operations.ts";

export type MetadataDeps = Readonly<{ baseUrl: string; scopes: readonly Scope[] }>;

/** The metadata's address, which challenges name. */
export function metadataUrl(baseUrl: string): string {
  return `${baseUrl}/.well-known/oauth-protected-resource/mcp`;
}

export const getResourceMetadata =
  ({ baseUrl, scopes }: MetadataDeps): Handler<"getResourceMetadata"> =>
  async () => ({
    status: 200,
    headers: { "Cache-Control": "public, max-age=300" },
    body: {
      resource: `${baseUrl}/mcp`,
      authorization_servers: [baseUrl],
      scopes_supported: [...scopes],
      bearer_methods_supported: ["header"],
      resource_documentation: `${baseUrl}/docs/mcp`,
    },
  });
