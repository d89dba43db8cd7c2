// The public address of this server, and whether a form comes from one of its own pages.

import type { Caller } from "./operations.ts";

export type Site = Readonly<{
  brand: string;
  /** Without a trailing slash; the issuer (RFC 9207). */
  baseUrl: string;
  secure: boolean;
  /** The public path of one of our paths: a proxy may serve us below a path of its own. */
  path: (path: string) => string;
}>;

export function makeSite({ brand, baseUrl }: { brand: string; baseUrl: string }): Site {
  const { protocol, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/$/, "");
  return { brand, baseUrl, secure: protocol === "https:", path: (path) => prefix + path };
}

/**
 * Whether a form was sent from one of our own pages. Browsers send Origin with every POST; a client that sends none is no browser and has
 * no user's cookie.
 */
export function isOurOrigin({ origin, host }: Caller, { baseUrl, secure }: Site): boolean {
  if (origin === undefined || origin === new URL(baseUrl).origin) return true;
  const from = URL.parse(origin);
  return from !== null && from.host === host && (from.protocol === "https:" || !secure);
}
