import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import Koa from "koa";
import { expect, test } from "vitest";
import { isPublicAddress, network, PrivateHost, rememberFailures, trustProxies } from "./addresses.ts";

/** A resolver of which `answers` says what each host has, the hosts that it was asked for, and a clock. */
function setUp(answers: Record<string, () => Promise<string[]>>) {
  const asked: string[] = [];
  const clock = { now: 0 };
  const resolve = rememberFailures(
    async (host) => {
      asked.push(host);
      return (answers[host] ?? (async () => []))();
    },
    () => clock.now,
  );
  return { asked, clock, resolve };
}

const unusable = async () => {
  throw new PrivateHost("private.test");
};

test("a host without an address, or with private ones, is looked up once a minute", async () => {
  const { asked, clock, resolve } = setUp({ "private.test": unusable });
  for (const now of [0, 1, 59_999]) {
    clock.now = now;
    expect(await resolve("none.test")).toEqual([]);
    await expect(resolve("private.test")).rejects.toThrow(PrivateHost);
  }
  expect(asked).toEqual(["none.test", "private.test"]);
  clock.now = 60_000;
  await resolve("none.test");
  expect(asked).toHaveLength(3);
});

test("a host with addresses is looked up for each connection, also after a minute in which it had none", async () => {
  let found: string[] = [];
  const { asked, clock, resolve } = setUp({ "hooks.test": async () => found });
  await resolve("hooks.test");
  found = ["8.8.8.8"];
  expect(await resolve("hooks.test")).toEqual([]);
  clock.now = 60_001;
  for (let count = 0; count < 3; count += 1) expect(await resolve("hooks.test")).toEqual(found);
  expect(asked).toHaveLength(4);
});

test("look-ups of a host at the same time are one", async () => {
  const { asked, resolve } = setUp({ "hooks.test": async () => ["8.8.8.8"] });
  await Promise.all(Array.from({ length: 50 }, () => resolve("hooks.test")));
  expect(asked).toEqual(["hooks.test"]);
});

test("the host whose look-up failed first is forgotten when there are more than 4,096", async () => {
  const { asked, resolve } = setUp({});
  for (let count = 0; count <= 4_096; count += 1) await resolve(`${count}.test`);
  asked.splice(0);
  await resolve("1.test");
  await resolve("0.test");
  expect(asked).toEqual(["0.test"]);
});

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

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:0DB8:0001::", "2001:db8:1:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["192.0.2.1:50000", "192.0.2.1"],
  ["[2001:db8:1:2::5]:50000", "2001:db8:1:2::/64"],
  ["[2001:db8:1:2::5]", "2001:db8:1:2::/64"],
  ["", ""],
])("the address %s is limited as %s", (address, counted) => {
  expect(network(address)).toBe(counted);
});

test.each([
  [0, "9.9.9.9, 1.2.3.4", "127.0.0.1"],
  [1, "9.9.9.9, 1.2.3.4", "1.2.3.4"],
  [1, "1.2.3.4", "1.2.3.4"],
  [2, "9.9.9.9, 1.2.3.4, 10.0.0.1", "1.2.3.4"],
  [1, undefined, "127.0.0.1"],
])("behind %i proxies, X-Forwarded-For: %s is from %s", (proxies, header, address) => {
  const koa = new Koa();
  trustProxies(koa, proxies);
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: "127.0.0.1" });
  const request = new IncomingMessage(socket);
  if (header !== undefined) request.headers["x-forwarded-for"] = header;
  expect(koa.createContext(request, new ServerResponse(request)).ip).toBe(address);
});
