import { expect, test } from "vitest";
import { apiKeyStore } from "../../auth/api-keys.ts";
import { temporaryServer } from "../../db/testing.ts";
import { streamerStore } from "../../donations/streamers.ts";
import { useServers } from "./testing-server-process.ts";

const servers = useServers();

/** What PostgreSQL says when it needs another page and the disk has none. */
const fullDisk = `
  create function refuse() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file "base/5/16384": No space left on device' using errcode = 'disk_full';
  end $$;
  create trigger full_disk before insert on donations for each row execute function refuse();
`;

test("while the database's disk is full donations are refused with 503, readyz and a metric say so, reads are served, and the log has a few lines", async () => {
  const postgres = await temporaryServer();
  const database = await postgres.migratedDatabase();
  const { id: streamerId } = await streamerStore(database.knex).create("somchai");
  const scopes = ["write:donations", "read:donations"] as const;
  const key = await apiKeyStore(database.knex, "namjai").create({ streamerId, application: "test", name: "", scopes: [...scopes] });
  await database.knex.raw(fullDisk);
  const server = await servers.start({ DATABASE_URL: database.url, RATE_LIMITS: "off" });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const create = () => fetch(`${server.url}/api/v1/donations`, { method: "POST", headers, body: `{"donatorName":"Somchai","amount":1}` });
  expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: "ok" });
  expect(await server.metrics()).toMatch(/^disk_full\{disk="database"\} 0$/m);
  for (let count = 0; count < 40; count += 1) expect((await create()).status).toBe(503);
  const readyz = await fetch(`${server.url}/readyz`);
  expect([readyz.status, await readyz.json()]).toEqual([503, { status: "the disk of the database is full" }]);
  expect(await server.metrics()).toMatch(/^disk_full\{disk="database"\} 1$/m);
  expect(await server.metrics()).toMatch(/^disk_full\{disk="server"\} 0$/m);
  expect((await fetch(`${server.url}/api/v1/donations`, { headers })).status).toBe(200);
  expect(await server.stop()).toBe(0);
  const lines = server
    .output()
    .split("\n")
    .filter((line) => line.includes('"operation":"createDonation"'));
  const counts = lines.map((line) => JSON.parse(line) as { level: number; suppressed?: number });
  expect(lines.length).toBeLessThan(40);
  expect(counts.reduce((sum, { suppressed = 0 }) => sum + 1 + suppressed, 0)).toBe(40);
  expect(new Set(counts.map(({ level }) => level))).toEqual(new Set([50]));
  await database.close();
  await postgres.remove();
});
