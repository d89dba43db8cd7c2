// Which addresses belong to one customer, so that limits count them as one.

import { isIPv6 } from "node:net";
import type Koa from "koa";

/**
 * Makes `ctx.ip` what the outermost of so many proxies of ours saw. Each appends to X-Forwarded-For; what stands before that is the
 * sender's own invention. Without proxies it is the connection's address.
 */
export function trustProxies(koa: Koa, proxies: number): void {
  koa.proxy = proxies > 0;
  koa.maxIpsCount = proxies;
}

/** One customer has a whole /64 of IPv6 addresses. */
export function network(address: string): string {
  const ipv4 = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(ipv4)) return ipv4;
  const [head = "", tail = ""] = ipv4.replace(/%.*$/, "").split("::");
  const [left, right] = [head, tail].map((half) => (half === "" ? [] : half.split(":"))) as [string[], string[]];
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
