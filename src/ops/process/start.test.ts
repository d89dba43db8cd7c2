import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort, query, type TemporaryServer, temporaryDirectory, temporaryServer } from "../../db/testing.ts";
import { useServers } from "./testing-server-process.ts";

// The server as a process of its own, at its start.

let postgres: TemporaryServer;
const servers = useServers();

beforeAll(async () => {
  postgres = await temporaryServer();
});
afterAll(async () => postgres?.remove());

test("a database that comes later is waited for, which one line says, and SIGUSR2 meanwhile and afterwards ends nothing", async () => {
  const database = await postgres.freshDatabase();
  await database.close();
  const port = await freePort();
  const server = await servers.launch({ DATABASE_URL: Object.assign(new URL(database.url), { host: `127.0.0.1:${port}` }).href });
  await server.says("cannot be used yet; waiting for up to 60 s");
  server.child.kill("SIGUSR2");
  const [own, origin] = [createServer(), new URL(database.url)];
  own.on("connection", (socket) => {
    const other = connect(Number(origin.port), origin.hostname);
    for (const one of [socket, other]) one.on("error", () => {});
    socket.pipe(other).pipe(socket);
  });
  await once(own.listen(port, "127.0.0.1"), "listening");
  await server.says("Listening on");
  server.child.kill("SIGUSR2");
  await server.says("with WORKERS=1 there are none");
  expect(await server.stop()).toBe(0);
  own.close();
  expect(server.output().split("cannot be used yet")).toHaveLength(2);
}, 120_000);

test.each(["1", "2"])(
  "SIGTERM ends a server at once that waits for its database, WORKERS=%s",
  async (WORKERS) => {
    const server = await servers.launch({ DATABASE_URL: `postgres://me@127.0.0.1:${await freePort()}/x`, WORKERS });
    await server.says("cannot be used yet");
    expect(await server.stop()).toBe(0);
  },
  60_000,
);

test("a database that refuses the server is not waited for", async () => {
  const url = Object.assign(new URL(postgres.url), { pathname: "/absent" }).href;
  const { child, output } = await servers.launch({ DATABASE_URL: url });
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(output()).not.toContain("waiting");
}, 60_000);

test.each(["PORT", "METRICS_PORT"])(
  "a %s in use is refused at the start, and nothing else is said to have failed",
  async (name) => {
    const database = await postgres.freshDatabase();
    await database.close();
    const other = createServer();
    await once(other.listen(0, "127.0.0.1"), "listening");
    const { port } = other.address() as AddressInfo;
    const { child, output } = await servers.launch({ DATABASE_URL: database.url, [name]: String(port) });
    expect(await once(child, "close")).toEqual([1, null]);
    other.close();
    const failures = output()
      .split("\n")
      .filter((line) => /"level":[456]0/.test(line));
    expect(failures).toEqual([expect.stringMatching(new RegExp(`"level":60,.*Can't serve: .*EADDRINUSE.*Set .*${name}`))]);
  },
  60_000,
);

test("an ERASURE_JOURNAL that cannot be written is refused at the start", async () => {
  const database = await postgres.freshDatabase();
  await database.close();
  const { child, output } = await servers.launch({ DATABASE_URL: database.url, ERASURE_JOURNAL: await temporaryDirectory() });
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(output()).toContain("Can't serve: ERASURE_JOURNAL: ");
}, 60_000);

test("the start names what is in force, and each setting that is not meant so, without passwords", async () => {
  const database = await postgres.freshDatabase();
  await query(database.url, `alter database ${new URL(database.url).pathname.slice(1)} set track_counts = off`);
  await database.close();
  const { host, pathname, password } = new URL(database.url);
  const port = await freePort();
  const server = await servers.launch({
    ...{ DATABASE_URL: database.url, REDIS_URL: `redis://:hidden@127.0.0.1:${port}/2`, NOTIFIER: "process", SECRET_KEY: "s".repeat(32) },
    ...{ BASE_URL: "https://donations.example/sub", TTS: "on", TTS_URL: `http://127.0.0.1:${port}/speak`, RATE_LIMIT: "off", WORKERS: "" },
  });
  await server.says("Listening on");
  await server.says("TTS_URL: nobody answers");
  expect(await server.stop()).toBe(0);
  const lines = server
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({
      ...{ msg: "starting with these settings", version: expect.stringMatching(/^\d+\./), database: host + pathname, pooler: false },
      ...{ standby: null, redis: `127.0.0.1:${port}/2`, notifier: "process", workers: 1, secretsEncrypted: true },
      ...{ erasureJournal: expect.stringMatching(/^\/.*erasures.ndjson$/), baseUrl: "https://donations.example/sub" },
    }),
  );
  const warnings = lines.filter(({ level }) => level === 40).map(({ msg }) => msg);
  expect(warnings).toContainEqual(expect.stringMatching(/^RATE_LIMIT is not a setting.*RATE_LIMITS/));
  expect(warnings).toContainEqual(expect.stringMatching(/counts as not set: WORKERS$/));
  expect(warnings).toContainEqual(expect.stringMatching(/^BASE_URL has the path \/sub: /));
  expect(warnings).toContainEqual(expect.stringMatching(/track_counts=off.*Set track_counts = on/));
  for (const secret of [password, "hidden", "s".repeat(32)]) expect(server.output()).not.toContain(secret);
}, 120_000);

test("a READ_DATABASE_URL of another database is refused at the start", async () => {
  const database = await postgres.freshDatabase();
  await database.close();
  const { child, output } = await servers.launch({ DATABASE_URL: database.url, READ_DATABASE_URL: postgres.url });
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(output()).toContain("Can't serve: READ_DATABASE_URL leads to another database than DATABASE_URL");
}, 60_000);
