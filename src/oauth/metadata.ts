// The authorization server's metadata (RFC 8414) and the public keys of its tokens (RFC 7517).

import type { SigningKeys } from "../auth/signing-keys.ts";
import type { Handler, Scope } from "../http/operations.ts";

export type MetadataDeps = {
  baseUrl: string;
  scopes: readonly Scope[];
  /** Whether a client_id may be the address of a client document. */
  clientDocuments: boolean;
};

const headers = { "Cache-Control": "public, max-age=300" } as const;
const authenticationMethods = ["client_secret_basic", "client_secret_post", "none"];

export const getServerMetadata =
  ({ baseUrl, scopes, clientDocuments }: MetadataDeps): Handler<"getServerMetadata"> =>
  async () => ({
    status: 200,
    headers,
    body: {
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      revocation_endpoint: `${baseUrl}/oauth/revoke`,
      jwks_uri: `${baseUrl}/.well-known/jwks.json`,
      scopes_supported: [...scopes],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: authenticationMethods,
      revocation_endpoint_auth_methods_supported: authenticationMethods,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: clientDocuments,
      service_documentation: `${baseUrl}/docs`,
    },
  });

export const getSigningKeys =
  ({ signingKeys }: { signingKeys: SigningKeys }): Handler<"getSigningKeys"> =>
  async () => ({ status: 200, headers, body: { keys: [...signingKeys.publicKeys()] } });
