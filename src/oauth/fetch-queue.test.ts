import { expect, test } from "vitest";
import { fetchQueue, type Origin } from "./fetch-queue.ts";

const limits = { atOnce: 4, perHost: 3, waiting: 5, patienceMs: 60_000 };
const from = (host: string, asker = host): Origin => ({ host, asker });

/** A queue whose tasks go on until they are told to end; `started` names them in the order in which they began. */
function watched(changes: Partial<typeof limits> = {}) {
  const queue = fetchQueue({ ...limits, ...changes });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, origin: Origin) =>
    queue.run(origin, () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    await settle();
    ends.get(name)?.();
    await settle();
  };
  return { add, end, started };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("one host has a part of the connections: another's document is fetched at once", async () => {
  const { add, started } = watched();
  for (const name of ["a1", "a2", "a3", "a4"]) void add(name, from("a", name));
  void add("b1", from("b"));
  await settle();
  expect(started).toEqual(["a1", "a2", "a3", "b1"]);
});

test("who has asked for little comes before who has asked for much, whatever the hosts are", async () => {
  const { add, end, started } = watched();
  for (const name of ["s1", "s2", "s3", "s4", "s5", "s6"]) void add(name, from(name, "stranger"));
  void add("honest", from("honest"));
  await end("s1");
  await end("s2");
  expect(started).toEqual(["s1", "s2", "s3", "s4", "honest", "s5"]);
});

test("of those who have asked for as much the oldest comes first", async () => {
  const { add, end, started } = watched({ atOnce: 1 });
  for (const name of ["a", "b", "c"]) void add(name, from(name));
  await end("a");
  await end("b");
  expect(started).toEqual(["a", "b", "c"]);
});

test("who waits too long is refused, and is not fetched later", async () => {
  const { add, end, started } = watched({ atOnce: 1, patienceMs: 20 });
  void add("a", from("a"));
  await expect(add("b", from("b"))).rejects.toMatchObject({ code: "rate_limited", extras: { headers: { "Retry-After": "5" } } });
  await end("a");
  expect(started).toEqual(["a"]);
});

test("who is being fetched is not refused for having waited", async () => {
  const { add, end } = watched({ patienceMs: 20 });
  const fetched = add("a", from("a"));
  await new Promise((resolve) => setTimeout(resolve, 60));
  await end("a");
  await expect(fetched).resolves.toBe("a");
});

test("when too many wait, one of those who asked for most is refused", async () => {
  const { add, started, end } = watched({ atOnce: 1, waiting: 2 });
  void add("s1", from("s1", "stranger"));
  void add("s2", from("s2", "stranger"));
  const refused = add("s3", from("s3", "stranger"));
  void add("honest", from("honest"));
  await expect(refused).rejects.toMatchObject({ code: "rate_limited" });
  await end("s1");
  await end("honest");
  expect(started).toEqual(["s1", "honest", "s2"]);
});

test("a failed fetch makes room for the next one", async () => {
  const queue = fetchQueue({ ...limits, atOnce: 1 });
  await expect(queue.run(from("a"), () => Promise.reject(new Error("it could not be fetched")))).rejects.toThrow("could not be fetched");
  await expect(queue.run(from("a"), async () => "fetched")).resolves.toBe("fetched");
});
