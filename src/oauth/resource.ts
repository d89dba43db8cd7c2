// The resources that a token can be for (RFC 8707): the base URL, which stands for everything on this server, or its /mcp only.

import { OAuthError } from "../http/oauth-error.ts";

/** The requested resource, as `aud` will have it; null when none was requested. Throws invalid_target. */
export function readResource(baseUrl: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text === baseUrl || text === `${baseUrl}/`) return baseUrl;
  if (text === `${baseUrl}/mcp`) return text;
  throw new OAuthError("invalid_target", `The resource must be ${baseUrl} or ${baseUrl}/mcp.`);
}
