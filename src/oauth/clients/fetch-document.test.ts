import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { publicOnly } from "../../http/addresses.ts";
import { authority, certificate, privateKey, suitesOffered } from "../../http/testing-tls.ts";
import { fetchDocuments, fetchFrom } from "./fetch-document.ts";

const fetchPublic = fetchDocuments("on");
const requester = "192.0.2.1";
const url = (text: string) => new URL(text);

test("no client document is fetched when client documents are off", () => expect(fetchDocuments("off")).toBeNull());

test.each(["https://127.0.0.1/a", "https://[::1]/a", "https://169.254.169.254/a", "https://8.8.8.8/a"])(
  "the document address %s, which has an IP address as host, is refused",
  (address) => expect(fetchPublic?.(url(address), requester)).rejects.toThrow("must name a host"),
);

test("a document address with a port is refused", () =>
  expect(fetchPublic?.(url("https://client.example:8443/a"), requester)).rejects.toThrow("must not name a port"));

test.each([[["127.0.0.1"]], [["::1"]], [["8.8.8.8", "10.0.0.1"]], [["::ffff:127.0.0.1"]]])(
  "a host name that resolves to %j is refused",
  (addresses) => expect(publicOnly(async () => addresses)("client.example")).rejects.toThrow("does not have public addresses only"),
);

test("the connection goes to the IP address that was checked, and the host name is resolved once", async () => {
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
  await expect(fetchFrom(url(`https://client.example:${port}/a`), { resolve, requester })).rejects.toThrow("could not be fetched");
  expect([connections, asked]).toEqual([1, ["client.example"]]);
  const refused = fetchFrom(url(`https://client.example:${port}/a`), { resolve: publicOnly(resolve), requester });
  await expect(refused).rejects.toThrow("could not be fetched");
  expect(connections).toBe(1);
  server.close();
});

test("a document on a host name without IP addresses cannot be fetched", () =>
  expect(fetchFrom(url("https://client.example/a"), { resolve: async () => [], requester })).rejects.toThrow("could not be fetched"));

test("the host of a document is offered no DHE, whose group it would choose: one of 10,000 bits keeps the event loop for 0.6 s", async () => {
  const resolve = async () => ["127.0.0.1"];
  const { count, withDhe } = await suitesOffered((port) => fetchFrom(url(`https://client.example:${port}/a`), { resolve, requester }));
  expect(count).toBeGreaterThan(3);
  expect(withDhe).toEqual([]);
});

/** A host that answers with these bytes again and again. */
async function answerWith(bytes: string): Promise<number> {
  const server = createTlsServer({ cert: certificate, key: privateKey }, (socket) => {
    const answer = () => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on("error", () => {}).on("drain", answer);
    answer();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("an answer of informational answers that do not end is given up after 40 KiB", async () => {
  const port = await answerWith(`HTTP/1.1 103 Early Hints\r\n${"a:\r\n".repeat(100)}\r\n`);
  await expect(
    fetchFrom(url(`https://hooks.test:${port}/a`), { resolve: async () => ["127.0.0.1"], requester, trusted: [authority] }),
  ).rejects.toThrow("larger than 10 KiB");
});
