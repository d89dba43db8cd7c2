import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { fetchDocuments, fetchFrom, publicOnly } from "./fetch-document.ts";

const fetchPublic = fetchDocuments("on");
const url = (text: string) => new URL(text);

test("off: none is fetched", () => expect(fetchDocuments("off")).toBeNull());

test.each(["https://127.0.0.1/a", "https://[::1]/a", "https://169.254.169.254/a", "https://8.8.8.8/a"])("%s names no host", (address) =>
  expect(fetchPublic?.(url(address), "192.0.2.1")).rejects.toThrow("must name a host"),
);

test("another port is refused", () =>
  expect(fetchPublic?.(url("https://client.example:8443/a"), "192.0.2.1")).rejects.toThrow("must not name a port"));

test.each([[["127.0.0.1"]], [["::1"]], [["8.8.8.8", "10.0.0.1"]], [["::ffff:127.0.0.1"]]])(
  "a name that leads to %j is not on the open internet",
  (addresses) => expect(publicOnly(async () => addresses)("client.example")).rejects.toThrow("not on the open internet"),
);

test("the address that was looked at is the one that is connected to, and it is looked at once", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return asked.length === 1 ? ["127.0.0.1"] : ["127.0.0.2"];
  };
  await expect(fetchFrom(url(`https://client.example:${port}/a`), resolve)).rejects.toThrow("could not be fetched");
  expect([connections, asked]).toEqual([1, ["client.example"]]);
  const refused = fetchFrom(url(`https://client.example:${port}/a`), publicOnly(resolve));
  await expect(refused).rejects.toThrow("could not be fetched");
  expect(connections).toBe(1);
  server.close();
});

test("a name without addresses can't be fetched", () =>
  expect(fetchFrom(url("https://client.example/a"), async () => [])).rejects.toThrow("could not be fetched"));
