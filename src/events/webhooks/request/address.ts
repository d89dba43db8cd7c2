// Decides where events may be sent, and how the host of an endpoint is resolved.

import type { Webhooks } from "../../../config.ts";
import { isPublicAddress, literalAddress, publicOnly, type Resolve, rememberFailures, resolveHost } from "../../../http/addresses.ts";

/** Where the operator lets events be sent. `ports`: of every host but this machine, which any port of is open to the mode `local`. */
export type WebhookRules = Readonly<{ mode: Webhooks; ports: readonly number[] }>;

/** User name, password, host and port as they are written: a parsed URL does not show that they are empty. */
const authority = /^https?:[/\\]*[^/\\?#]*/i;

/** Why nothing may be sent to this address, in words; null when it may. A host name is checked when it is resolved. */
export function faultOf(address: string, { mode, ports }: WebhookRules): string | null {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return "The url is not a valid https URL.";
  if (authority.exec(address)?.[0].includes("@")) return "The url must not contain a user name or password.";
  if (address.includes("#")) return "The url must not contain a fragment.";
  if (url.port === "0") return "The port of the url must not be 0.";
  if (mode === "local" && isLoopback(url)) return null;
  if (url.protocol !== "https:") return "The url must begin with https.";
  if (!ports.includes(Number(url.port || 443))) return `The port of the url must be ${inWords(ports)}.`;
  const literal = literalAddress(url);
  if (literal !== null) return isPublicAddress(literal) ? null : "The host of the url must be public.";
  if (/(^|\.)localhost\.?$/.test(url.hostname)) return "The host of the url must be public.";
  return /[^.]\.[^.]/.test(url.hostname) ? null : "The host of the url must be an IP address or a name with a dot.";
}

function inWords(ports: readonly number[]): string {
  const [last, ...others] = ports.toReversed();
  return others.length === 0 ? String(last) : `${others.toReversed().join(", ")} or ${last}`;
}

/** Throws PrivateHost for a host that does not have public addresses only; in the mode `local`, localhost is this machine. */
export function resolverFor(mode: Webhooks, resolve: Resolve = resolveHost): Resolve {
  const resolvePublic = rememberFailures(publicOnly(resolve));
  if (mode !== "local") return resolvePublic;
  return async (host) => (host === "localhost" ? ["127.0.0.1"] : resolvePublic(host));
}

function isLoopback(url: URL): boolean {
  const literal = literalAddress(url);
  return literal === null ? url.hostname === "localhost" : literal === "::1" || literal.startsWith("127.");
}
