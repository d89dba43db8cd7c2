import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import Koa from "koa";
import { expect, test } from "vitest";
import { network, trustProxies } from "./network.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:0DB8:0001::", "2001:db8:1:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
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
