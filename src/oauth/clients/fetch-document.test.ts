import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { publicOnly } from "../../http/addresses.ts";
import { authority, certificate, privateKey, suitesOffered } from "../../http/testing-tls.ts";
import { fetchDocuments, fetchFrom, fetchQueue, type Origin } from "./fetch-document.ts";

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

const limits = { maxConcurrent: 4, maxPerHost: 3, maxWaiting: 5, waitTimeoutMs: 60_000 };
const from = (host: string, requester = host): Origin => ({ host, requester });

/** A queue whose tasks run until `end` is called for them; `started` has their names in the order of their start. */
function openQueue(changes: Partial<typeof limits> = {}) {
  const queue = fetchQueue({ ...limits, ...changes });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, origin: Origin) => {
    const fetched = queue.run(origin, () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
    fetched.catch(() => {}); // one that still waits when its test is over is refused a minute later
    return fetched;
  };
  const end = async (name: string) => {
    await settle();
    ends.get(name)?.();
    await settle();
  };
  return { add, end, started };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("one host uses only part of the connections, so a document of another host is fetched at once", async () => {
  const { add, started } = openQueue();
  for (const name of ["a1", "a2", "a3", "a4"]) void add(name, from("a", name));
  void add("b1", from("b"));
  await settle();
  expect(started).toEqual(["a1", "a2", "a3", "b1"]);
});

test("a requester with few pending fetches goes before a requester with many, whatever the hosts are", async () => {
  const { add, end, started } = openQueue();
  for (const name of ["s1", "s2", "s3", "s4", "s5", "s6"]) void add(name, from(name, "stranger"));
  void add("honest", from("honest"));
  await end("s1");
  await end("s2");
  expect(started).toEqual(["s1", "s2", "s3", "s4", "honest", "s5"]);
});

test("among requesters with equally many pending fetches the oldest fetch goes first", async () => {
  const { add, end, started } = openQueue({ maxConcurrent: 1 });
  for (const name of ["a", "b", "c"]) void add(name, from(name));
  await end("a");
  await end("b");
  expect(started).toEqual(["a", "b", "c"]);
});

test("a fetch that waits too long is refused with rate_limited, and does not run later", async () => {
  const { add, end, started } = openQueue({ maxConcurrent: 1, waitTimeoutMs: 20 });
  void add("a", from("a"));
  await expect(add("b", from("b"))).rejects.toMatchObject({ code: "rate_limited", extras: { headers: { "Retry-After": "5" } } });
  await end("a");
  expect(started).toEqual(["a"]);
});

test("a fetch that is running is not refused when the waiting time is over", async () => {
  const { add, end } = openQueue({ waitTimeoutMs: 20 });
  const fetched = add("a", from("a"));
  await sleep(60);
  await end("a");
  await expect(fetched).resolves.toBe("a");
});

test("when too many fetches wait, a fetch of the requester with the most fetches is refused", async () => {
  const { add, started, end } = openQueue({ maxConcurrent: 1, maxWaiting: 2 });
  void add("s1", from("s1", "stranger"));
  void add("s2", from("s2", "stranger"));
  const refused = add("s3", from("s3", "stranger"));
  void add("honest", from("honest"));
  await expect(refused).rejects.toMatchObject({ code: "rate_limited" });
  await end("s1");
  await end("honest");
  expect(started).toEqual(["s1", "honest", "s2"]);
});

test("a fetch that fails makes room for the next one", async () => {
  const queue = fetchQueue({ ...limits, maxConcurrent: 1 });
  await expect(queue.run(from("a"), () => Promise.reject(new Error("it could not be fetched")))).rejects.toThrow("could not be fetched");
  await expect(queue.run(from("a"), async () => "fetched")).resolves.toBe("fetched");
});
