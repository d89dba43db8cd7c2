import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { fetchQueue, type Origin } from "./fetch-document.ts";

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
