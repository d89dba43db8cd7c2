// What clients can read about /mcp as a protected resource (RFC 9728).

import type { Handler, Scope } from "../http/operations.ts";

export type MetadataParts = Readonly<{ baseUrl: string; scopes: readonly Scope[] }>;

/** Where it lies; challenges name it. */
export function metadataUrl(baseUrl: string): string {
  return `${baseUrl}/.well-known/oauth-protected-resource/mcp`;
}

export const getResourceMetadata =
  ({ baseUrl, scopes }: MetadataParts): Handler<"getResourceMetadata"> =>
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
