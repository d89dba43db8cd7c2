// Where the answer to an authorization request goes, and how it gets there.

import type { OAuthClient } from "./clients.ts";

export type ReturnAddress = Readonly<{
  redirectUri: string;
  /** Comes back as it was sent. */
  state: string | null;
}>;

const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):[0-9]{1,5}(?=[/?]|$)/;

/**
 * The redirect URI to answer to; null when it is none of the client's. Compared character by character (RFC 6749 3.1.2.3),
 * but for the port of a loopback address (RFC 8252 7.3). It may be left out by a client that has exactly one.
 */
export function findRedirectUri({ redirectUris }: Pick<OAuthClient, "redirectUris">, sent: string | undefined): string | null {
  if (sent === undefined) return redirectUris.length === 1 ? (redirectUris[0] ?? null) : null;
  const known = redirectUris.some((registered) => registered === sent || withoutPort(registered) === withoutPort(sent));
  return known && URL.canParse(sent) ? sent : null;
}

/** The redirect URI with an answer in its query (RFC 6749 4.1.2), and with the issuer (RFC 9207). */
export function answerUri({ redirectUri, state }: ReturnAddress, issuer: string, answer: Record<string, string>): string {
  const parameters = { ...answer, ...(state !== null && { state }), iss: issuer };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${queryText(value)}`);
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query.join("&")}`;
}

/** Escaped only where it must be (RFC 3986 3.4): a long state must not become three times as long on its way back. */
function queryText(text: string): string {
  return encodeURIComponent(text).replace(/%(?:24|2C|2F|3A|3B|3F|40)/g, decodeURIComponent);
}

/**
 * Where the answer to a form may lead once it has reached the redirect URI: Chromium applies form-action to the whole chain of
 * redirects, and applications often send the browser on to another host of theirs. So the scheme must do.
 */
export function onwardSource(redirectUri: string): string {
  return new URL(redirectUri).protocol;
}

/** A redirect URI as CSP source. The grammar knows no IPv6 addresses and no `;` or `,` in hosts: there the scheme must do. */
export function formActionSource(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && /^[a-z0-9.-]+(:[0-9]+)?$/.test(host) ? `${protocol}//${host}` : protocol;
}

/** How a streamer can recognise it: the host, or the scheme of an app. */
export function redirectHost(redirectUri: string): { name: string; onDevice: boolean } {
  const { protocol, host } = new URL(redirectUri);
  const isApp = protocol !== "https:" && protocol !== "http:";
  return { name: isApp ? protocol.slice(0, -1) : host, onDevice: isApp || protocol === "http:" };
}

function withoutPort(uri: string): string {
  return uri.replace(loopback, "$1");
}
