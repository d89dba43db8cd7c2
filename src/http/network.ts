// Finds the address of a client, and the network that limits count as one client.

import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import type Koa from "koa";

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

/** The network of an address: a whole /64 of IPv6, because one customer has that many addresses. */
export function network(address: string): string {
  const ipv4 = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(ipv4)) return ipv4;
  const [head = "", tail = ""] = ipv4.replace(/%.*$/, "").split("::");
  const [left, right] = [head, tail].map((half) => (half === "" ? [] : half.split(":"))) as [string[], string[]];
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
