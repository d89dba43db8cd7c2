import { expect, test } from "vitest";
import { isPublicAddress } from "./public-address.ts";

test.each(["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.0", "192.167.255.255", "223.255.255.255", "2606:4700::1111", "2a00:1450::1"])(
  "%s is public",
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each(
  [
    ["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255"],
    ["192.0.0.1", "192.168.1.1", "198.18.0.1", "203.0.113.1", "224.0.0.1", "255.255.255.255"],
    ["::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1"],
    ["64:ff9b::7f00:1", "2001::1", "2001:db8::1", "2002:7f00:1::", "100::1"],
    ["", "localhost", "127.1", "0x7f000001"],
  ]
    .flat()
    .map((address) => [address]),
)("%j is not public", (address) => expect(isPublicAddress(address)).toBe(false));
