// Redirect URIs: the rules for those that a client may register, which one an authorization request is answered at, and the answer in its query.

export type ReturnAddress = Readonly<{
  redirectUri: string;
  /** Sent back unchanged (RFC 6749 4.1.2). */
  state: string | null;
}>;

// URIs as RFC 3986 writes them: others would be normalised on their way and then compare unequal.
const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;
const hostless = /^https?:(?!\/\/[^/?#])/i;
const userinfo = /^[^:]+:\/\/[^/?#]*@/;
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:[0-9]+)?([/?]|$)/;
const loopbackPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):[0-9]{1,5}(?=[/?]|$)/;
const maxLength = 2_000;

/** Throws an Error that names the rule a redirect URI breaks. */
export function requireRedirectUri(uri: string, client: { public: boolean }): void {
  const broken = brokenRule(uri, client);
  if (broken) throw new Error(`the redirect URI "${uri}" ${broken}`);
}

/** The rule that a redirect URI breaks, in words; null when it breaks none. */
export function brokenRule(uri: string, client: { public: boolean }): string | null {
  const protocol = URL.parse(uri)?.protocol;
  if (!protocol || !absolute.test(uri) || hostless.test(uri)) return "must be an absolute URI (RFC 6749 3.1.2)";
  if (uri.length > maxLength) return `must have at most ${maxLength} characters`;
  if (uri.includes("#")) return "must not have a fragment (RFC 6749 3.1.2)";
  if (userinfo.test(uri)) return "must not hold a user name or password";
  if (protocol === "https:" || loopback.test(uri)) return null;
  if (protocol === "http:") return "must use https; http is for 127.0.0.1, [::1] and localhost (RFC 8252 7.3)";
  if (!protocol.includes(".")) return "must use https, or a private-use scheme with a dot in it (RFC 8252 7.1)";
  return client.public ? null : "has a private-use scheme, which is for public clients only (RFC 8252 8.4)";
}

/**
 * The redirect URI to answer to; null when the client has not registered it. URIs are compared character by character (RFC 6749
 * 3.1.2.3), except for the port of a loopback address (RFC 8252 7.3). A client with exactly one registered URI may leave it out.
 */
export function findRedirectUri({ redirectUris }: { redirectUris: readonly string[] }, sent: string | undefined): string | null {
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

/** Escapes only what must be escaped in a query (RFC 3986 3.4), so that a long state does not become three times as long. */
function queryText(text: string): string {
  return encodeURIComponent(text).replace(/%(?:24|2C|2F|3A|3B|3F|40)/g, decodeURIComponent);
}

/**
 * The CSP source for everything that the redirect URI may redirect to. Chromium applies form-action to the whole chain of redirects,
 * and applications often redirect to another host of theirs, so the source is the scheme only.
 */
export function onwardSource(redirectUri: string): string {
  return new URL(redirectUri).protocol;
}

/** A redirect URI as CSP source. Only the scheme for a host that the grammar of CSP does not allow: IPv6 addresses, `;` and `,`. */
export function formActionSource(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && /^[a-z0-9.-]+(:[0-9]+)?$/.test(host) ? `${protocol}//${host}` : protocol;
}

/** What a streamer can recognise the redirect URI by: its host, or the scheme of an app. */
export function redirectHost(redirectUri: string): { name: string; onDevice: boolean } {
  const { protocol, host } = new URL(redirectUri);
  const isApp = protocol !== "https:" && protocol !== "http:";
  return { name: isApp ? protocol.slice(0, -1) : host, onDevice: isApp || protocol === "http:" };
}

function withoutPort(uri: string): string {
  return uri.replace(loopbackPort, "$1");
}
