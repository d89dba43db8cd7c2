// The rules for redirect URIs that a client may register.

// URIs as RFC 3986 writes them: others would be normalised on their way and then compare unequal.
const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;
const hostless = /^https?:(?!\/\/[^/?#])/i;
const userinfo = /^[^:]+:\/\/[^/?#]*@/;
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:[0-9]+)?([/?]|$)/;
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
