// What tokens can be for (RFC 8707): the base URL, which is all there is here, or its /mcp alone.

import { OAuthError } from "../http/oauth-error.ts";

/** The resource asked for, in the form that `aud` has; null when none was named. Throws invalid_target. */
export function readResource(baseUrl: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text === baseUrl || text === `${baseUrl}/`) return baseUrl;
  if (text === `${baseUrl}/mcp`) return text;
  throw new OAuthError("invalid_target", `Tokens can be had for ${baseUrl} and ${baseUrl}/mcp.`);
}
