// Addresses: of clients, with the network that limits count as one client; and of hosts that an untrusted party chose (server-side request
// forgery), which are resolved to public IP addresses only, so that the connection goes to the address that was checked.

import { Resolver } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from "node:net";
import { DEFAULT_CIPHERS } from "node:tls";
import type Koa from "koa";

/** Addresses of a host. */
export type Resolve = (host: string) => Promise<string[]>;

/** A host that nothing may be requested from. The message names it. */
export class PrivateHost extends Error {
  readonly code = "PRIVATE_HOST";
}

/** Does not use the system's resolver, which runs in the same few threads as password hashing. */
export const resolveHost: Resolve = async (host) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
};

/** The same resolver, which throws PrivateHost unless all addresses of the host are public. */
export function publicOnly(resolve: Resolve): Resolve {
  return async (host) => {
    const addresses = await resolve(host);
    if (!addresses.every(isPublicAddress)) throw new PrivateHost(`${host} does not have public addresses only`);
    return addresses;
  };
}

const failureMs = 60_000;
/** So that made-up hosts cannot fill the memory. */
const maxKnown = 4_096;

/**
 * The same resolver, which remembers for a minute that a host has no usable addresses: repeated requests for it ask no name server again.
 * Look-ups of a host at the same time are one. `now`: in milliseconds.
 */
export function rememberFailures(resolve: Resolve, now: () => number = () => performance.now()): Resolve {
  const known = new Map<string, { addresses: Promise<string[]>; until: number }>(); // under way, or failed; the oldest first
  return (host) => {
    const found = known.get(host);
    if (found && found.until > now()) return found.addresses;
    const begun = { addresses: resolve(host), until: Number.POSITIVE_INFINITY };
    const fail = () => void (begun.until = now() + failureMs);
    const end = () => void (known.get(host) === begun && known.delete(host));
    begun.addresses.then(({ length }) => (length === 0 ? fail() : end()), fail);
    known.delete(host);
    known.set(host, begun);
    if (known.size > maxKnown) known.delete(known.keys().next().value as string);
    return begun.addresses;
  };
}

/** The IP address that a URL has as its host; null when the host is a name. Node does not call `lookup` for such a URL. */
export function literalAddress({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? null : host;
}

/**
 * Of TLS with a host that an untrusted party chose: Node's without DHE, whose group the host chooses. Each handshake with a group of 10,000 bits
 * would keep the event loop for 0.6 s, and a host that speaks no ECDHE is older than 2010.
 */
export const ciphersWithoutDhe = `${DEFAULT_CIPHERS}:!kDHE`;

/** The connection goes to an address that `resolve` has checked: the name is not resolved a second time (DNS rebinding). */
export function lookup(resolve: Resolve): LookupFunction {
  return (host, { all }, callback) => {
    const answer = (addresses: string[]) => {
      const [first = ""] = addresses;
      if (first === "") return callback(Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" }), "");
      if (!all) return callback(null, first, isIP(first));
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      );
    };
    resolve(host).then(answer, (error) => callback(error, ""));
  };
}

const special4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

// All public IPv6 addresses are in 2000::/3, which excludes mapped, translated, local and multicast addresses. These networks within it
// are not public: special-purpose, documentation, and tunnels that contain an IPv4 address.
const special6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const special = new BlockList();
for (const [network, bits] of special4) special.addSubnet(network, bits, "ipv4");
for (const [network, bits] of special6) special.addSubnet(network, bits, "ipv6");
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");

/**
 * Whether an IP address is public, as opposed to addresses of this machine and of private networks (IANA's special-purpose registries,
 * RFC 6890).
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, "ipv4");
  return global6.check(address, "ipv6") && !special.check(address, "ipv6");
}

/**
 * Sets `ctx.ip` to the address that the outermost of our proxies saw. Each proxy appends one to X-Forwarded-For; addresses before these are
 * not trustworthy. Without proxies it is the address of the connection.
 */
export function trustProxies(koa: Koa, proxies: number): void {
  koa.proxy = proxies > 0;
  koa.maxIpsCount = proxies;
}

/** The same address as `ctx.ip`, for a request that does not reach Koa. */
export function clientAddress({ headers, socket }: IncomingMessage, proxies: number): string {
  const forwarded = proxies > 0 ? String(headers["x-forwarded-for"] ?? "") : "";
  const addresses = forwarded.split(/\s*,\s*/).filter((address) => address !== "");
  return addresses.slice(-proxies)[0] ?? socket.remoteAddress ?? "";
}

/**
 * The network of an address: a whole /64 of IPv6, because one customer has that many addresses. Without the port that some proxies append to
 * the address of a client (Azure's gateway, IIS), because each connection has another one.
 */
export function network(address: string): string {
  const host = address.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2");
  const ipv4 = host.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(ipv4)) return ipv4;
  const [head = "", tail = ""] = ipv4.replace(/%.*$/, "").split("::");
  const [left, right] = [head, tail].map((half) => (half === "" ? [] : half.split(":"))) as [string[], string[]];
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
