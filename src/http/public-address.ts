// Decides whether an IP address is public, as opposed to addresses of this machine and of private networks (IANA's special-purpose
// registries, RFC 6890).

import { BlockList, isIPv4 } from "node:net";

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

/** Whether an IP address is public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, "ipv4");
  return global6.check(address, "ipv6") && !special.check(address, "ipv6");
}
